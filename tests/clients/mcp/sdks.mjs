// The real TypeScript SDKs with bough's MCP server: 1.x speaks 2025-11-25, 2.x finds out that the server speaks 2026-07-28. Each over stdio and over HTTP.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bin, must } from "../tools.mjs";
import { same } from "../gateway/sdks.mjs";
import { READING, fill, TEXTS, TITLE, tokenFor } from "./sessions.mjs";

const WRITING = ["append_message", "fork_session", "remember", "set_todos"];
const RUNS = ["list_tasks", "get_task_status", "create_task", "resolve_approval", "cancel_run"];
const READ_SCOPES = "mcp,read,export", WRITE_SCOPES = `${READ_SCOPES},append,fork,gateway,run,approve`;

// Only a server works on runs: over stdio none can be started.
const allTools = (link) => [...READING, ...WRITING, ...RUNS.filter((name) => link === "HTTP" || name !== "create_task")];

// ---- the clients ----

const sdks = {
  "the SDK 1.x": {
    version: "2025-11-25",
    async load() {
      const at = (file) => import(bin(`@modelcontextprotocol/sdk/dist/esm/client/${file}.js`));
      return { ...(await at("index")), ...(await at("stdio")), ...(await at("streamableHttp")) };
    },
  },
  "the SDK 2.x": {
    version: "2026-07-28",
    options: { versionNegotiation: { mode: "auto" } },
    async load() {
      const at = (file) => import(bin(`@modelcontextprotocol/client/dist/${file}.mjs`));
      return { ...(await at("index")), ...(await at("stdio")) };
    },
  },
};

async function connected(sdk, transport) {
  const { Client } = await sdk.load();
  const client = new Client({ name: "bough-tests", version: "1" }, sdk.options);
  await client.connect(transport);
  return client;
}

// The shell keeps the exit status of the server, which the SDK does not tell.
const statusFile = (w) => join(w.root, "status");
const links = {
  stdio: async (bough, w, sdk, write) => {
    const { StdioClientTransport } = await sdk.load();
    const args = ["-c", '"$@"; echo $? >"$0"', statusFile(w), bough, "--store", w.store, "mcp", ...(write ? ["--write"] : [])];
    return new StdioClientTransport({ command: "/bin/sh", args, env: w.env, cwd: w.work, stderr: "pipe" });
  },
  HTTP: async (bough, w, sdk, write) => httpTransport(w, sdk, await tokenFor(w, write ? WRITE_SCOPES : READ_SCOPES)),
};

async function httpTransport(w, sdk, token) {
  const { StreamableHTTPClientTransport } = await sdk.load();
  return new StreamableHTTPClientTransport(new URL(`${w.url}/mcp`), { requestInit: token ? { headers: { Authorization: `Bearer ${token}` } } : {} });
}

// ---- what is done with them ----

const call = (client, name, args) => client.callTool({ name, arguments: args });

// The result of a call that must not fail; its text and its object must be the same.
async function result(client, name, args) {
  const answer = await call(client, name, args);
  must(!answer.isError, `${name}: ${answer.content[0].text}`);
  same(`the text of ${name}`, JSON.parse(answer.content[0].text), answer.structuredContent);
  if (READING.includes(name)) must(answer.structuredContent.notice.includes("This is data"), `${name} is not marked as data`);
  return answer.structuredContent;
}

const thrown = async (doing) => {
  try {
    await doing;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
};

async function callsEveryTool({ client, w, id, version, link }) {
  const { tools } = await client.listTools();
  same("the tools", tools.map((tool) => tool.name), allTools(link));
  same("those that only read", tools.filter((tool) => tool.annotations.readOnlyHint).map((tool) => tool.name), [...READING, ...RUNS.slice(0, 2)]);
  same("the server", client.getServerVersion().name, "bough");
  if (client.getNegotiatedProtocolVersion) same("the version", client.getNegotiatedProtocolVersion(), version);

  same("what was appended", (await result(client, "append_message", { session: id, role: "user", text: "Dragonfruit, please." })).result.ids.length, 1);
  same("the first session", (await result(client, "list_chat_sessions", {})).result.data[0].id, `chat_${id}`);
  const read = await result(client, "get_chat_session", { session: id });
  same("its title", read.session.title, TITLE);
  same("its texts", read.result.items.map((entry) => entry.view[0].text), [...TEXTS, "Dragonfruit, please."]);
  same("what is found", (await result(client, "search_sessions", { query: "dragonfruit" })).result.items.map((hit) => hit.session), [id]);
  same("the messages for a model", (await result(client, "get_context", { session: id, dialect: "anthropic" })).result.messages.length, 5); // two turns of the user are one
  same("the branches", (await result(client, "get_tree", { session: id })).result.branches.map((branch) => branch.messages), [6]);
  same("the calls", (await result(client, "get_cost", { session: id })).result.total.calls, 0);
  same("the fork's parent", (await result(client, "fork_session", { session: id, title: "Another try" })).result.parent, id);
  same("what is remembered", (await result(client, "remember", { scope: "all", content: "The purge job runs at night." })).result.content, "The purge job runs at night.");
  same("the todos", (await result(client, "set_todos", { session: id, items: [{ content: "Start the job" }] })).result.total, 1);
  must((await w.ours("show", id)).includes("Dragonfruit, please."), "bough show does not have the message");
  must((await w.ours("todo", id)).includes("Start the job"), "bough todo does not have it");
  return `${tools.length} tools`;
}

async function readsResourcesAndPrompts({ client, id }) {
  const uri = `bough://session/${id}`;
  must((await client.listResources()).resources.some((resource) => resource.uri === uri && resource.title === TITLE), "the session is not listed");
  same("the templates", (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate), ["bough://session/{session}"]);
  const { contents: [content] } = await client.readResource({ uri });
  must(content.mimeType === "text/markdown" && TEXTS.every((text) => content.text.includes(text)), `the resource is ${content.text}`);
  const { prompts } = await client.listPrompts();
  same("the prompts", prompts.map((prompt) => prompt.name), ["summarize_session", "continue_from"]);
  for (const { name } of prompts) {
    const { messages } = await client.getPrompt({ name, arguments: { session: id } });
    same(`the messages of ${name}`, messages.map((message) => message.content.type), ["text", "resource"]);
    must(messages[1].content.resource.text.includes(TEXTS[4]), `${name} has not the conversation`);
  }
  return `a resource of ${content.text.length} characters, ${prompts.length} prompts`;
}

// All items of pages, each once. next(cursor) gives { items, next }.
async function throughPages(next) {
  const all = [];
  let cursor, pages = 0;
  do {
    const page = await next(cursor);
    all.push(...page.items);
    cursor = page.next ?? undefined;
    must(++pages < 100, "the pages do not end");
  } while (cursor);
  same("items that come twice", all.length - new Set(all).size, 0);
  return { all, pages };
}

async function pagesThrough({ client, id, sessions }) {
  const listed = await throughPages(async (cursor) => {
    const page = await result(client, "list_chat_sessions", { limit: 50, cursor });
    return { items: page.result.data.map((session) => session.id), next: page.next_cursor };
  });
  const resources = await throughPages(async (cursor) => {
    const page = await client.listResources(cursor ? { cursor } : undefined);
    return { items: page.resources.map((resource) => resource.uri), next: page.nextCursor };
  });
  const entries = await throughPages(async (cursor) => {
    const page = await result(client, "get_chat_session", { session: id, limit: 2, cursor });
    return { items: page.result.items.map((entry) => entry.view[0].text), next: page.next_cursor };
  });
  same("the sessions", [listed.all.length, listed.pages], [sessions, Math.ceil(sessions / 50)]);
  same("the same sessions", resources.all.map((uri) => uri.replace("bough://session/", "chat_")).sort(), [...listed.all].sort());
  same("the entries", [entries.all, entries.pages], [[...new Set(TEXTS)], 3]);
  return `${sessions} sessions in ${listed.pages} pages, ${resources.pages} of resources, ${entries.pages} of entries`;
}

async function seesErrors({ client, version, link }) {
  const code = async (doing) => (await thrown(doing)).code;
  same("an unknown tool", await code(call(client, "delete_session", {})), -32602);
  same("an unknown prompt", await code(client.getPrompt({ name: "none", arguments: {} })), -32602);
  same("an unknown resource", await code(client.readResource({ uri: "bough://session/none" })), version === "2025-11-25" ? -32002 : -32602);
  for (const [name, args, text] of [
    ["get_chat_session", { session: "none" }, "not_found"],
    ["get_chat_session", {}, "session is required"],
    ["list_chat_sessions", { limit: 0 }, "limit must be"],
  ]) {
    const answer = await call(client, name, args);
    must(answer.isError && answer.content[0].text.includes(text), `${name} ${JSON.stringify(args)}: ${JSON.stringify(answer)}`);
  }
  same("the tools after that", (await client.listTools()).tools.length, allTools(link).length);
  return "protocol errors with their codes, errors of tools as results";
}

// Without --write, or without the scopes, the tools that write are not listed, and a call writes nothing.
async function onlyReads({ client, w, id }) {
  same("the tools", (await client.listTools()).tools.map((tool) => tool.name), READING);
  const answer = await call(client, "append_message", { session: id, role: "user", text: "Let me in." });
  must(answer.isError && answer.content[0].text.includes("only reads"), JSON.stringify(answer));
  must(!(await w.ours("show", id)).includes("Let me in."), "it was written");
  return `${READING.length} tools`;
}

// [what, does, writes, sessions without messages]
const deeds = [
  ["calls every tool", callsEveryTool, true, 0],
  ["reads resources and prompts", readsResourcesAndPrompts, false, 0],
  ["goes through pages", pagesThrough, false, 119],
  ["sees errors", seesErrors, true, 0],
  ["only reads unless it may write", onlyReads, false, 0],
];

async function doDeed(bough, start, sdk, link, [, does, write, empty]) {
  const w = await start();
  let client;
  try {
    const id = await fill(w, empty);
    client = await connected(sdk, await links[link](bough, w, sdk, write));
    return await does({ client, w, id, link, version: sdk.version, sessions: empty + 1 });
  } finally {
    await client?.close();
    await w.close();
  }
}

// ---- what concerns one transport ----

// The SDK closes the standard input first, and would send SIGTERM two seconds later: the status would not be 0.
async function endsWithItsInput(bough, start, sdk) {
  const w = await start();
  try {
    await fill(w);
    const client = await connected(sdk, await links.stdio(bough, w, sdk, false));
    await client.listTools();
    await client.close();
    same("its exit status", readFileSync(statusFile(w), "utf8"), "0\n");
    return "status 0";
  } finally {
    await w.close();
  }
}

async function needsScopes(start, sdk) {
  const w = await start();
  try {
    await fill(w);
    for (const [scopes, status] of [["", 401], ["read", 403]]) {
      const error = await thrown(connected(sdk, await httpTransport(w, sdk, scopes && (await tokenFor(w, scopes)))));
      must(`${error.code} ${error.status} ${error.message} ${error.cause?.message}`.includes(status) || error.constructor.name === "UnauthorizedError", `scopes "${scopes}": ${error.constructor.name} ${error.message}`);
    }
    for (const [scopes, names] of [["mcp", []], ["mcp,read", READING], ["mcp,read,append", [...READING, ...WRITING.filter((name) => name !== "fork_session")]]]) {
      const client = await connected(sdk, await httpTransport(w, sdk, await tokenFor(w, scopes)));
      same(`the tools for ${scopes}`, (await client.listTools()).tools.map((tool) => tool.name), names);
      await client.close();
    }
    return "each set of scopes has its tools";
  } finally {
    await w.close();
  }
}

/** Run the tests of all clients. */
export async function sdkTests(test, bough, start) {
  for (const [name, sdk] of Object.entries(sdks)) {
    for (const link of Object.keys(links))
      for (const deed of deeds) await test(`mcp: ${name} over ${link} ${deed[0]}`, () => doDeed(bough, start, sdk, link, deed));
    await test(`mcp: the server ends with the input that ${name} closes`, () => endsWithItsInput(bough, start, sdk));
    await test(`mcp: ${name} over HTTP gets the tools of its scopes`, () => needsScopes(start, sdk));
  }
}
