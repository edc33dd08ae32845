import { describe, expect, it } from "vitest";
import type { Activity, Provider } from "../src/api/client";
import { label, statusWord, streamsOf, toolLabel } from "../src/lib/activity";
import { readiness, routable } from "../src/lib/ready";
import { offered, slashOf, titleFrom } from "../src/lib/slash";

function provider(change: Partial<Provider>): Provider {
  return {
    name: "ollama",
    kind: "openai-compatible",
    base_url: "http://127.0.0.1:11434/v1",
    routes: [],
    auth: "none",
    configured: true,
    key_source: "",
    discovered: false,
    default: false,
    reachable: true,
    checked_at: null,
    latency_ms: 1,
    model_count: 1,
    models_at: null,
    models: [{ id: "qwen3" }],
    last_error: null,
    last_error_at: null,
    blocked: null,
    next_steps: [],
    ...change,
  };
}

describe("readiness", () => {
  it("is there when the provider lists the model", () => {
    expect(readiness([provider({})], { provider: "ollama", model: "qwen3" }).ok).toBe(true);
  });
  it("says that no model can be reached on the first start", () => {
    const r = readiness([], undefined);
    expect(r).toMatchObject({ ok: false, nothing: true, why: "No model can be reached yet" });
  });
  it("names a model that is no longer reported, with the others", () => {
    const r = readiness([provider({})], { provider: "ollama", model: "gone" });
    expect(r.why).toBe("gone is no longer reported by ollama");
    expect(r.models).toEqual([{ provider: "ollama", model: "qwen3" }]);
    expect(r.steps).toHaveLength(2);
  });
  it("trusts a hosted provider with models it does not list", () => {
    expect(readiness([provider({ name: "openai", kind: "openai" })], { provider: "openai", model: "new" }).ok).toBe(true);
  });
  it("tells why a provider is blocked, and what to do", () => {
    const p = provider({ blocked: "no_key", next_steps: [{ do: "set_key", text: "set OPENAI_API_KEY" }] });
    const r = readiness([p], { provider: "ollama", model: "qwen3" });
    expect(r.why).toBe("ollama cannot be used: it has no key");
    expect(r.steps[0]).toBe("set OPENAI_API_KEY");
  });
  it("does not offer models of providers that cannot be reached", () => {
    expect(routable([provider({ reachable: false }), provider({ blocked: "no_key" })])).toEqual([]);
  });
});

describe("slash commands", () => {
  it("are known words at the beginning", () => {
    expect(slashOf("/label  the fix ")).toEqual({ name: "label", rest: "the fix" });
    expect(slashOf("/compact")).toEqual({ name: "compact", rest: "" });
    expect(slashOf("/etc/hosts")).toBeUndefined();
    expect(slashOf("/unknown x")).toBeUndefined();
    expect(slashOf("not /label x")).toBeUndefined();
  });
  it("are offered while their name is typed", () => {
    expect(offered("/").length).toBe(5);
    expect(offered("/re").map((c) => c.name)).toEqual(["remember"]);
    expect(offered("/label x")).toEqual([]);
  });
});

describe("titles from a first prompt (C17)", () => {
  it("are the prompt, or its beginning", () => {
    expect(titleFrom("  two\n words ")).toBe("two words");
    expect(titleFrom("")).toBe("New chat");
    expect(titleFrom("a".repeat(48))).toHaveLength(48);
    expect(titleFrom("a".repeat(49))).toBe("a".repeat(45) + "...");
    expect([...titleFrom("🌳".repeat(60))].length).toBe(48);
  });
});

const row = (change: Partial<Activity>): Activity => ({
  id: "a",
  type: "tool_call",
  status: "completed",
  kind: "",
  title: "",
  detail: "",
  created: null,
  needs_action: false,
  ...change,
});

describe("rows of a run (C23)", () => {
  it.each([
    ["shell_exec", "Ran shell"],
    ["git_exec", "Ran git"],
    ["read_file", "Read file"],
    ["list_dir", "Listed files"],
    ["file_write", "Edited file"],
    ["file_edit", "Edited file"],
    ["apply_patch", "Edited file"],
    ["files_read", "Read file"],
    ["python_exec", "Ran python"],
    ["weather", "weather"],
  ])("calls %s “%s”", (name, text) => {
    expect(toolLabel(name)).toBe(text);
  });
  it("does not say the same thing twice", () => {
    expect(label(row({ kind: "demo_edit", title: "demo_edit", detail: "demo_edit" })).what).toBe("");
    expect(label(row({ type: "approval", title: "Approved", detail: "Demo edit" }))).toEqual({ verb: "Approved", what: "Demo edit" });
    expect(label(row({ type: "files_changed" })).verb).toBe("files changed");
  });
  it("shows streams of the same step only", () => {
    const items = [
      row({ id: "1", type: "artifact", kind: "stderr", step: "s1", preview: "mine" }),
      row({ id: "2", type: "artifact", kind: "stderr", step: "s2", preview: "other" }),
      row({ id: "3", type: "artifact", kind: "stdout", step: "s2", preview: "other" }),
    ];
    const own = streamsOf(items, row({ step: "s1", status: "failed" }));
    expect(own.stderr?.preview).toBe("mine");
    expect(own.stdout).toBeUndefined();
    expect(streamsOf(items, row({}))).toEqual({});
  });
  it("names states as people say them", () => {
    expect(statusWord("awaiting_approval")).toBe("Awaiting approval");
    expect(statusWord("odd")).toBe("odd");
  });
});
