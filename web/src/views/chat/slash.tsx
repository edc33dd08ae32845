// Commands that begin with a slash: the list while one is typed, and what they do.
import { api, type Session } from "../../api/client";
import { fork, rememberText, say } from "../../actions";
import { routable } from "../../lib/ready";
import { offered } from "../../lib/slash";
import { path } from "../../state/session";
import { providers } from "../../state/providers";
import { choose } from "./models";

export function SlashList({ text, pick }: { text: string; pick: (name: string) => void }) {
  const list = offered(text);
  if (!list.length) return null;
  return (
    <ul class="slashes" aria-label="Commands">
      {list.map((c, i) => (
        <li key={c.name}>
          <button type="button" class={i ? undefined : "cur"} onClick={() => pick(c.name)}>
            <b>/{c.name}</b> <span class="t3">{c.takes}</span> <span class="t2">{c.about}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

type Act = (s: Session, rest: string) => unknown;

/** The last entry that can be named. */
function lastEntry(): string {
  const p = path.peek();
  const e = p?.peek(p.depth.peek());
  if (!e) throw new Error("There is no entry yet");
  return e.id;
}

const acts: Record<string, Act> = {
  compact: async (s) => {
    await api.POST("/api/v1/sessions/{id}/compact", { params: { path: { id: s.id } }, body: {} });
    say("Compacted");
  },
  fork: (s) => fork(s),
  label: async (s, rest) => {
    if (!rest) throw new Error("Write the label behind /label");
    await api.PUT("/api/v1/sessions/{id}/labels/{entry}", { params: { path: { id: s.id, entry: lastEntry() } }, body: { label: rest } });
    say("Labelled");
  },
  model: (s, rest) => {
    const all = routable(providers.peek());
    const found =
      all.find((c) => c.model === rest || `${c.provider}/${c.model}` === rest) ?? all.find((c) => rest && c.model.includes(rest));
    if (!found) throw new Error(rest ? `No model is called ${rest}` : "Write the name of a model behind /model");
    choose(s, found);
    say(`Model is now ${found.model}`);
  },
  remember: async (s, rest) => {
    if (!rest) return rememberText(s, "");
    await api.POST("/api/v1/memories", { body: { scope: "session", of: s.id, content: rest } });
    say("Remembered");
  },
};

export async function runSlash(s: Session, name: string, rest: string): Promise<void> {
  await acts[name]?.(s, rest);
}
