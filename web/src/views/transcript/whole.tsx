// A text that came cut: its beginning, and all of it on request.
import { useState } from "preact/hooks";
import { api, got, message } from "../../api/client";
import { bytes } from "../../lib/format";
import { Markdown } from "../../lib/markdown";
import type { PartView } from "../../state/path";
import type { Shown } from "./parts";

export function WholeText({ s, part }: { s: Shown; part: PartView }) {
  const [whole, setWhole] = useState<string>();
  const [error, setError] = useState("");
  const load = async () => {
    try {
      const e = await got(
        api.GET("/api/v1/sessions/{id}/entries/{entry}", {
          params: { path: { id: s.path.session, entry: s.entry.id }, query: { view: true } },
        }),
      );
      setWhole(e.view?.find((v) => v.id === part.id)?.text ?? part.text ?? "");
    } catch (x) {
      setError(message(x));
    }
  };
  if (whole !== undefined) return <Markdown text={whole} />;
  return (
    <>
      <Markdown text={(part.text ?? "") + " …"} />
      <p class="small">
        <button type="button" class="link t2" onClick={() => void load()}>
          Show all {bytes(part.cut?.text ?? 0)}
        </button>
        {error && <span class="c-fail"> {error}</span>}
      </p>
    </>
  );
}
