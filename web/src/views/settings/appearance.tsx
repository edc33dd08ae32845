// How the page looks, and what it is made of.
import { useSignal } from "@preact/signals";
import { Segments } from "../../ui/button";

type Theme = "system" | "light" | "dark";

function stored(): Theme {
  const t = document.documentElement.dataset["theme"];
  return t === "light" || t === "dark" ? t : "system";
}

export function setTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    if (theme === "system") localStorage.removeItem("bough.theme");
    else localStorage.setItem("bough.theme", theme);
  } catch {
    // Storage is blocked: the choice lasts until the page is closed.
  }
}

/** Dark to light and back, for the palette. */
export function toggleTheme(): void {
  const dark = stored() === "dark" || (stored() === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  setTheme(dark ? "light" : "dark");
}

export function AppearancePage() {
  const now = useSignal<Theme>(stored());
  return (
    <>
      <section class="sect">
        <h2>Appearance</h2>
        <Segments
          name="Theme"
          value={now.value}
          options={[
            ["system", "As the system"],
            ["light", "Light"],
            ["dark", "Dark"],
          ]}
          onPick={(t) => {
            now.value = t;
            setTheme(t);
          }}
        />
      </section>
      <section class="sect">
        <h2>About</h2>
        <p class="t2">
          bough stores agent conversations. This page uses only its{" "}
          <a class="link" href="/api">
            API
          </a>
          .{" "}
          <a class="link" href="/assets/licenses.md" target="_blank">
            Licenses
          </a>{" "}
          of what is bundled into it.
        </p>
      </section>
    </>
  );
}
