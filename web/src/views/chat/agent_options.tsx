// What the external agent of a session lets one set: its mode, its model, its switches. They count from its next turn on.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, got, message, type Session } from "../../api/client";
import { visible } from "../../lib/ansi";
import { runChanges } from "../../state/runs";
import { sentence } from "../../ui/states";

interface Option {
  id: string;
  name?: string;
  type?: string;
  currentValue?: unknown;
  options?: { value: string; name?: string }[];
}

interface Known {
  config?: Option[];
  modes?: { currentModeId?: string; availableModes?: { id: string; name?: string }[] };
}

/** Modes are one more option. */
function listOf(known: Known): Option[] {
  const modes = known.modes?.availableModes ?? [];
  const config = Array.isArray(known.config) ? known.config : [];
  if (!modes.length) return config;
  const mode: Option = {
    id: "mode",
    name: "Mode",
    type: "select",
    currentValue: known.modes?.currentModeId,
    options: modes.map((m) => ({ value: m.id, name: m.name })),
  };
  return [mode, ...config.filter((o) => o.id !== "mode")];
}

export function AgentOptions({ s }: { s: Session }) {
  const list = useSignal<Option[]>([]);
  const wanted = useSignal<Record<string, unknown>>({});
  const error = useSignal("");
  const to = { params: { path: { id: s.id } } };
  const take = (a: { options: object; wanted: object }) => {
    list.value = listOf(a.options as Known);
    wanted.value = a.wanted as Record<string, unknown>;
  };
  const changed = runChanges.value;
  useEffect(() => {
    got(api.GET("/api/v1/sessions/{id}/agent-options", to)).then(take, () => {});
  }, [s.id, changed]);
  const set = async (id: string, value: unknown) => {
    error.value = "";
    try {
      take(await got(api.PUT("/api/v1/sessions/{id}/agent-options", { ...to, body: { options: { ...wanted.peek(), [id]: value } } })));
    } catch (e) {
      error.value = message(e);
    }
  };
  if (!list.value.length) return null;
  return (
    <div class="chips" role="group" aria-label="Agent options">
      {list.value.map((o) =>
        o.type === "boolean" ? (
          <label key={o.id} class="row-x">
            <input
              type="checkbox"
              class="box"
              checked={Boolean(wanted.value[o.id] ?? o.currentValue)}
              onChange={(e) => void set(o.id, e.currentTarget.checked)}
            />
            {visible(o.name ?? o.id)}
          </label>
        ) : (
          <label key={o.id} class="row-x">
            <span class="t3">{visible(o.name ?? o.id)}</span>
            <select value={String(wanted.value[o.id] ?? o.currentValue ?? "")} onChange={(e) => void set(o.id, e.currentTarget.value)}>
              {(o.options ?? []).map((v) => (
                <option key={v.value} value={v.value}>
                  {visible(v.name ?? v.value)}
                </option>
              ))}
            </select>
          </label>
        ),
      )}
      {error.value && (
        <span class="c-fail" role="alert">
          {sentence(error.value)}
        </span>
      )}
    </div>
  );
}
