// The real Claude Code, Codex and opencode, set up by `bough mcp install`: each says that it has the server, offers bough's tools to its model, and calls one.
import { dirname } from "node:path";
import { must, tools } from "../tools.mjs";
import { agents } from "../gateway/agents.mjs";
import { same } from "../gateway/sdks.mjs";
import { READING, fill, TEXTS } from "./sessions.mjs";

const PROMPT = "How did the talk about the cache end?";
const listed = { "claude-code": /bough: .* - .*Connected/, codex: /^bough +bough .*enabled/m, opencode: /bough.*connected/ };

// The tools of bough as the model is offered them: { name, namespace }. Codex has a namespace for each server.
function offered(body) {
  const all = (body.tools ?? []).flatMap((tool) => tool.tools?.map(({ name }) => ({ name, namespace: tool.name })) ?? [{ name: tool.name ?? tool.function?.name }]);
  return all.filter(({ name, namespace }) => /bough/.test(namespace ?? name));
}

async function usesTheTools(bough, start, name) {
  const w = await start(), seen = { names: [], result: "" };
  const run = (program, args, more) => w.run(program, args, { ...more, PATH: `${dirname(bough)}:${w.env.PATH}`, ENABLE_TOOL_SEARCH: "false" });
  try {
    const session = await fill(w);
    tools[name].prepare({ ...w, model: { url: w.up.url } });
    await run(bough, ["--store", w.store, "mcp", "install", tools[name].word, "--yes"]);
    const said = await run(tools[name].program, ["mcp", "list"]);
    must(listed[name].test(said), `it does not list the server:\n${said}`);
    w.up.play(name, (body) => {
      const last = JSON.stringify((body.messages ?? body.input).findLast((m) => m.role !== "system"));
      if (!body.tools?.length) return { text: "The cache" };
      if (/"tool_result"|"role":"tool"|_output"/.test(last)) {
        seen.result = last;
        return { text: "It ended well." };
      }
      const all = offered(body);
      seen.names = all.map((tool) => tool.name.replace(/^.*bough_+/, ""));
      return { calls: [{ ...all.find((tool) => tool.name.endsWith("get_chat_session")), input: { session } }] };
    });
    const answer = await agents[name].first({ ...w, run, url: w.up.url, token: "none" }, PROMPT);
    same("the tools for the model", seen.names.sort(), [...READING].sort());
    must(TEXTS.every((text) => seen.result.includes(text)), `the tool gave the model ${seen.result}`);
    must(answer.includes("It ended well."), `it said ${answer}`);
    return `${seen.names.length} tools, and the session was read`;
  } finally {
    await w.close();
  }
}

/** Run the tests of all agents. */
export async function agentTests(test, bough, start) {
  for (const name of Object.keys(listed)) await test(`mcp: ${name} calls a tool of the server that bough mcp install has added`, () => usesTheTools(bough, start, name));
}
