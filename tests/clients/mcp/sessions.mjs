// Sessions for the MCP server to show, and the tools that show them.
import { must } from "../tools.mjs";

export const READING = ["list_chat_sessions", "get_chat_session", "search_sessions", "get_context", "get_tree", "get_cost"];
export const TITLE = "Why is the cache stale?";
export const TEXTS = ["Why is the cache stale?", "The purge job does not run.", "Since when?", "Since the move of Tuesday.", "Then let it run again."];

/** A token with these scopes. */
export const tokenFor = async (w, scopes) => (await w.ours("token", "create", scopes.replaceAll(",", "-"), "--scopes", scopes)).trim();

/** `empty` sessions, and one with TITLE and TEXTS, which is the newest; its id. */
export async function fill(w, empty = 0) {
  const headers = { authorization: `Bearer ${await tokenFor(w, "read,append")}`, "content-type": "application/json" };
  for (let i = 0; i < empty; i++) {
    const answer = await fetch(`${w.url}/api/v1/sessions`, { method: "POST", headers, body: JSON.stringify({ title: `Session ${i}` }) });
    must(answer.ok, `no session: ${await answer.text()}`);
  }
  const id = (await w.ours("new", TITLE)).trim();
  for (const [i, text] of TEXTS.entries()) await w.ours("append", id, text, "--role", i % 2 ? "assistant" : "user");
  return id;
}
