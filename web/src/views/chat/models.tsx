// The model that prompts go to.
import type { Session } from "../../api/client";
import { visible } from "../../lib/ansi";
import { modelName } from "../../lib/format";
import { type Choice, routable } from "../../lib/ready";
import { go, href } from "../../router";
import { canSend, choiceOf, setSettings } from "../../state/composer";
import { providers } from "../../state/providers";
import { Icon } from "../../ui/icon";
import { Menu } from "../../ui/menu";

export function choose(s: Session, c: Choice): void {
  setSettings(s, { provider: c.provider, model: c.model });
}

export function ModelMenu({ s }: { s: Session }) {
  const now = choiceOf(s);
  const items = () => [
    ...routable(providers.value).map((c) => ({
      text: c.model,
      hint: c.provider,
      checked: c.provider === now?.provider && c.model === now?.model,
      act: () => choose(s, c),
    })),
    { text: "Open Providers", icon: "providers" as const, split: true, act: () => go(href(["providers"])) },
  ];
  return (
    <Menu
      name="Models"
      filter
      items={items}
      button={(toggle, open) => (
        <button
          type="button"
          class={`btn quiet model${now && !canSend(s) ? " c-fail" : ""}`}
          aria-haspopup="menu"
          aria-expanded={open}
          aria-label={`Model: ${now?.model ?? "none"}`}
          title={now ? `${now.provider}/${now.model}` : undefined}
          onClick={toggle}
        >
          <span class="clip">{visible(modelName(now?.model) || "Choose a model")}</span>
          <Icon name="down" small />
        </button>
      )}
    />
  );
}
