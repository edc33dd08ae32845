// External agents that this server can start: whether they are there, signed in, and what to do if not.
import { signal } from "@preact/signals";
import { type Agent, type AgentProbe, api, got } from "../api/client";

export const agents = signal<Agent[]>([]);
/** How far an agent came when it was last tested, by its name. */
export const probes = signal<Record<string, AgentProbe>>({});
export const agentsState = signal<"loading" | "ready" | "none">("loading");

let asked = false;

export async function loadAgents(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    agents.value = (await got(api.GET("/api/v1/agents"))).items.filter((a) => !a.off);
    agentsState.value = agents.value.length ? "ready" : "none";
  } catch {
    agentsState.value = "none"; // a server that starts no agents
  }
}

/** Start the agent for a moment and see how far it comes. */
export async function probe(name: string): Promise<void> {
  const one = await got(api.POST("/api/v1/agents/{agent}/probe", { params: { path: { agent: name } } }));
  probes.value = { ...probes.peek(), [name]: one };
}
