// Put an entry onto another branch or session: a dialog with the places where it can go.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { putOnto } from "../../actions";
import { api, type Entry, got, message, type Session } from "../../api/client";
import { visible } from "../../lib/ansi";
import { oneLine } from "../../lib/format";
import { go, toSession } from "../../router";
import { branchName, outline } from "../../state/outline";
import { split } from "../../state/path";
import { path } from "../../state/session";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Problem } from "../../ui/problem";

const asked = signal<{ s: Session; e: Entry } | undefined>(undefined);

export function openPick(s: Session, e: Entry): void {
  asked.value = { s, e };
}

export function PickDialog() {
  const a = asked.value;
  return a ? <Pick key={a.e.id} {...a} /> : null;
}

/** The head, if another path is shown, and the other branches of the session, newest first. */
function places(s: Session, e: Entry): { at: string; text: string }[] {
  const o = outline.peek();
  const [own] = split(e.at);
  const [head] = split(s.head);
  const branches = [...(o?.branches.values() ?? [])].filter(
    (b) => b.session === s.id && b.entries > 0 && b.branch !== own && (b.branch !== head || path.peek()?.at),
  );
  return branches
    .reverse()
    .slice(0, 100)
    .map((b) => ({
      at: b.branch === head ? "" : `#${b.branch}.${b.tip}`,
      text: `${visible(oneLine(branchName(o!, b), 60))}${b.branch === head ? " (head)" : ""}`,
    }))
    .sort((x, y) => Number(Boolean(x.at)) - Number(Boolean(y.at)));
}

const OTHER = "session";

function Pick({ s, e }: { s: Session; e: Entry }) {
  const list = places(s, e);
  const [to, setTo] = useState(list[0]?.at ?? OTHER);
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const close = () => (asked.value = undefined);
  const put = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError("");
    try {
      const target = to === OTHER ? await got(api.GET("/api/v1/sessions/{id}", { params: { path: { id: name.trim() } } })) : s;
      await putOnto(target, to === OTHER ? "" : to, s, [e.id]);
      close();
      go(toSession(target.slug));
      path.value?.reload();
    } catch (x) {
      setError(message(x));
      setBusy(false);
    }
  };
  const choice = (value: string, text: string) => (
    <label class="row-x" key={value}>
      <input type="radio" name="onto" checked={to === value} onChange={() => setTo(value)} />
      <span class="clip">{text}</span>
    </label>
  );
  return (
    <Dialog title="Put onto a branch" onClose={close}>
      <form class="question" onSubmit={(event) => void put(event)}>
        <h2>Put onto a branch</h2>
        <p class="t2">
          The entry goes behind the last one there, and the head moves to it. Results of tools come with their calls. Nothing is counted
          twice.
        </p>
        <fieldset class="stack picks">
          <legend class="t2 small">Branch</legend>
          {list.map((p) => choice(p.at, p.text))}
          {choice(OTHER, "Another session")}
        </fieldset>
        {to === OTHER && (
          <label class="stack">
            <span class="t2 small">Session</span>
            <input type="text" value={name} placeholder="its name, number or id" onInput={(x) => setName(x.currentTarget.value)} />
          </label>
        )}
        <Problem text={error} />
        <div class="dialog-foot">
          <Button kind="quiet" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" kind="pri" disabled={busy || (to === OTHER && !name.trim())}>
            Put here
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
