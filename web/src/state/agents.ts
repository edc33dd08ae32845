// External agents that this server can start: whether they are there, signed in, and what to do if not.
import { signal } from "@preact/signals";
import { access } from "../api/client";

export interface Agent {
  name: string;
  title?: string;
  status?: string;
  version?: string;
  auth?: string;
  hint?: string;
  error?: string;
  stderr?: string;
  stage?: string;
}

export const agents = signal<Agent[]>([]);
export const agentsState = signal<"loading" | "ready" | "none">("loading");

async function ask(method: string, path: string): Promise<unknown> {
  const r = await fetch(path, { method, credentials: "same-origin" });
  if (r.status === 401) access.value = "signed-out";
  const body = (await r.json().catch(() => ({}))) as { error?: { message?: string } };
  if (!r.ok) throw new Error(body.error?.message ?? `the server answered ${r.status}`);
  return body;
}

let asked = false;

export async function loadAgents(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    agents.value = ((await ask("GET", "/api/v1/agents")) as { items: Agent[] }).items;
    agentsState.value = agents.value.length ? "ready" : "none";
  } catch {
    agentsState.value = "none"; // a server that starts no agents
  }
}

/** Start the agent for a moment and see how far it comes. */
export async function probe(name: string): Promise<void> {
  const one = (await ask("POST", `/api/v1/agents/${encodeURIComponent(name)}/probe`)) as Agent;
  agents.value = agents.value.map((a) => (a.name === name ? { ...a, ...one, name } : a));
}
