// Where the conversation branched: the other ways that were taken from this entry, in this session and in forks.
import { plural } from "../../lib/format";
import { href, toSession } from "../../router";
import { branchName, laneOf, type Outline } from "../../state/outline";
import { split } from "../../state/path";
import { session } from "../../state/session";
import type { Shown } from "./parts";

const MOST = 6;

export function Ways({ s, outline }: { s: Shown; outline?: Outline }) {
  if (!outline) return null;
  const at = s.entry.at ?? "";
  const branches = (outline.byBase.get(at) ?? []).filter((b) => b.entries > 0);
  const forks = (outline.byEntry.get(at) ?? []).filter((m) => m.kind === "fork");
  const [branch, depth] = split(at);
  const next = s.path.peek(s.depth + 1);
  const nextBranch = next ? split(next.at)[0] : 0;
  const others = branches.filter((b) => b.branch !== nextBranch);
  // The entry's own branch goes on, but the path that is shown left it here.
  const own = outline.branches.get(branch);
  const goesOn = own && own.tip > depth && nextBranch !== branch;
  const n = others.length + forks.length + (goesOn ? 1 : 0);
  const slug = session.value?.slug;
  if (!n || !slug) return null;
  return (
    <nav class="ways" aria-label="Other ways from here">
      <svg class="stub" width="32" height="32" aria-hidden="true">
        <path d="M7 0C7 14 14 16 26 16" />
      </svg>
      <div class="opts">
        <span class="t3">{plural(n, "other way")} from here</span>
        {goesOn && own && (
          <a href={toSession(slug, { at: `${own.branch}.${own.tip}` })}>
            <i class={`l${laneOf(outline, own.branch, own.tip)}`} />
            <span class="clip">the branch it came from</span> <span class="t3 num">{own.tip - depth}</span>
          </a>
        )}
        {others.slice(0, MOST).map((b) => (
          <a key={b.branch} href={toSession(slug, { at: `${b.branch}.${b.tip}` })}>
            <i class={`l${laneOf(outline, b.branch, b.tip)}`} />
            <span class="clip">{branchName(outline, b)}</span> <span class="t3 num">{b.messages}</span>
          </a>
        ))}
        {others.length > MOST && <span class="t3">and {others.length - MOST} more in the tree</span>}
        {forks.slice(0, MOST).map((f, i) => (
          <a key={i} href={f.session ? href(["sessions", f.session]) : "#"}>
            <i class="l3" />
            <span class="clip">{f.text || "Fork"}</span> <span class="label">fork</span>
          </a>
        ))}
      </div>
    </nav>
  );
}
