// Tokens: who may call the server, with what rights. A secret is shown once.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { attempt } from "../../actions";
import { api, got, message } from "../../api/client";
import { on } from "../../api/events";
import { visible } from "../../lib/ansi";
import { ago, exactTime, projectName } from "../../lib/format";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy";
import { ask, Dialog } from "../../ui/dialog";
import { Failed, Skeleton } from "../../ui/states";
import { Problem } from "../../ui/problem";

type Token = Awaited<ReturnType<typeof list>>["items"][number];

function list() {
  return got(api.GET("/api/v1/tokens"));
}

const scopes: [string, string][] = [
  ["read", "Read sessions, search, follow events"],
  ["append", "Write messages, labels, memories, todos"],
  ["fork", "Fork sessions"],
  ["delete", "Delete, restore and purge"],
  ["export", "Export sessions"],
  ["admin", "Tokens, storage, imports: everything about the store"],
];

export function TokensPage() {
  const found = useSignal<Token[] | undefined>(undefined);
  const error = useSignal("");
  const making = useSignal(false);
  const load = () =>
    void list().then(
      (a) => ((found.value = a.items), (error.value = "")),
      (e: unknown) => (error.value = message(e)),
    );
  useEffect(() => {
    load();
    return on("store.updated", load);
  }, []);
  const revoke = (t: Token) =>
    ask({
      title: `Revoke ${t.name}?`,
      text: t.kind === "browser" ? "That browser is signed out at once." : "Programs that use it are refused at once.",
      act: "Revoke",
      danger: true,
      run: async () => {
        await api.DELETE("/api/v1/tokens/{token}", { params: { path: { token: t.id } } });
        load();
      },
    });
  if (error.value && !found.value) return <Failed what="The tokens" error={error.value} retry={load} />;
  if (!found.value) return <Skeleton rows={4} height={40} />;
  return (
    <section class="sect">
      <h2>
        Tokens
        <span class="grow" />
        <Button kind="pri" icon="plus" onClick={() => (making.value = true)}>
          New token
        </Button>
      </h2>
      <p class="t2">Programs send a token with each request. The store keeps only its hash.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">May</th>
            <th scope="col" class="narrow-hide">
              Project
            </th>
            <th scope="col" class="r">
              Last used
            </th>
            <th scope="col">
              <span class="vh">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {found.value.map((t) => (
            <tr key={t.id}>
              <td>
                {t.kind === "browser" ? (
                  <span title={t.user_agent}>
                    {browserName(t.user_agent)} <span class="label">browser</span>
                  </span>
                ) : (
                  visible(t.name)
                )}
              </td>
              <td class="t2">{visible(t.scopes)}</td>
              <td class="t3 narrow-hide">{t.project ? projectName(t.project) : "all"}</td>
              <td class="r t3 nowrap" title={exactTime(t.last_used)}>
                {t.last_used ? ago(t.last_used) : "never"}
              </td>
              <td class="r">
                <Button kind="quiet" onClick={() => revoke(t)}>
                  Revoke
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!found.value.length && <p class="t3">None yet.</p>}
      {making.value && (
        <NewToken
          close={() => {
            making.value = false;
            load();
          }}
        />
      )}
    </section>
  );
}

/** Firefox on Linux, Chrome on Android: enough to know which one it is. */
function browserName(agent: string | undefined): string {
  const a = agent ?? "";
  const what = /Firefox/.test(a)
    ? "Firefox"
    : /Edg\//.test(a)
      ? "Edge"
      : /Chrome/.test(a)
        ? "Chrome"
        : /Safari/.test(a)
          ? "Safari"
          : "Browser";
  const where = /Android/.test(a)
    ? "Android"
    : /iPhone|iPad/.test(a)
      ? "iOS"
      : /Mac OS/.test(a)
        ? "macOS"
        : /Windows/.test(a)
          ? "Windows"
          : /Linux/.test(a)
            ? "Linux"
            : "";
  return where ? `${what} on ${where}` : what;
}

function NewToken({ close }: { close: () => void }) {
  const name = useSignal("");
  const chosen = useSignal<ReadonlySet<string>>(new Set(["read"]));
  const project = useSignal("");
  const days = useSignal("");
  const secret = useSignal("");
  const error = useSignal("");
  const make = (e: Event) => {
    e.preventDefault();
    void attempt(async () => {
      try {
        const t = await got(
          api.POST("/api/v1/tokens", {
            body: {
              name: name.value.trim(),
              scopes: [...chosen.value].join(","),
              project: project.value.trim() || undefined,
              expires: days.value ? new Date(Date.now() + Number(days.value) * 86_400_000).toISOString() : undefined,
            },
          }),
        );
        secret.value = t.secret;
      } catch (x) {
        error.value = message(x);
      }
    });
  };
  if (secret.value) {
    return (
      <Dialog title="New token" onClose={close}>
        <div class="question">
          <h2>Copy the token now</h2>
          <p class="t2">It is shown once. A lost token is revoked and made anew.</p>
          <div class="field secret">
            <input class="mono" readOnly value={secret.value} aria-label="Token" onFocus={(e) => e.currentTarget.select()} />
            <CopyButton text={secret.value} name="Copy token" />
          </div>
          <div class="dialog-foot">
            <Button kind="pri" onClick={close}>
              Done
            </Button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="New token" onClose={close}>
      <form class="question" onSubmit={make}>
        <h2>New token</h2>
        <label class="stack">
          <span class="t2 small">Name</span>
          <input type="text" required maxLength={100} value={name.value} onInput={(e) => (name.value = e.currentTarget.value)} />
        </label>
        <fieldset>
          <legend class="t2 small">May</legend>
          {scopes.map(([s, about]) => (
            <label key={s} class="row-x scope">
              <input
                type="checkbox"
                class="box"
                checked={chosen.value.has(s)}
                onChange={(e) => {
                  const next = new Set(chosen.value);
                  if (e.currentTarget.checked) next.add(s);
                  else next.delete(s);
                  chosen.value = next;
                }}
              />
              <b>{s}</b> <span class="t3">{about}</span>
            </label>
          ))}
        </fieldset>
        <label class="stack">
          <span class="t2 small">Only this project (empty: all)</span>
          <input type="text" value={project.value} placeholder="/srv/shop" onInput={(e) => (project.value = e.currentTarget.value)} />
        </label>
        <label class="stack">
          <span class="t2 small">Expires</span>
          <select value={days.value} onChange={(e) => (days.value = e.currentTarget.value)}>
            <option value="">Never</option>
            <option value="7">In a week</option>
            <option value="30">In 30 days</option>
            <option value="365">In a year</option>
          </select>
        </label>
        <Problem text={error.value} />
        <div class="dialog-foot">
          <Button kind="quiet" onClick={close}>
            Cancel
          </Button>
          <Button kind="pri" type="submit" disabled={!name.value.trim() || !chosen.value.size}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
