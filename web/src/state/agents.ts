// External agents that this server can start: whether they are there, signed in, and what to do if not.
import { computed, effect, signal } from "@preact/signals";
import { type Agent, type AgentProbe, api, got } from "../api/client";
import { live } from "../api/events";

export const agents = signal<Agent[]>([]);
/** How far an agent came when it was last tested, by its name. */
export const probes = signal<Record<string, AgentProbe>>({});
export const agentsState = signal<"loading" | "ready" | "none">("loading");

/** Agents whose requests are answered without a person. */
export const unasked = computed(() => agents.value.filter((a) => a.approve === "allow"));

async function loadAgents(): Promise<void> {
  try {
    agents.value = (await got(api.GET("/api/v1/agents"))).items.filter((a) => !a.off);
    agentsState.value = agents.value.length ? "ready" : "none";
  } catch {
    agentsState.value = "none"; // a server that starts no agents
  }
}

// A server that was started again may have another configuration.
effect(() => {
  if (live.value === "resumed" || (live.value === "live" && agentsState.peek() === "loading")) void loadAgents();
});

/** Start the agent for a moment and see how far it comes. */
export async function probe(name: string): Promise<void> {
  const one = await got(api.POST("/api/v1/agents/{agent}/probe", { params: { path: { agent: name } } }));
  probes.value = { ...probes.peek(), [name]: one };
}
