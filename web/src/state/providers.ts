// The providers of models and what can be asked of them, and the tool servers. Read once, then when a view asks for it.
import { signal } from "@preact/signals";
import { api, got, message, type Provider, type ToolServer } from "../api/client";
import { on } from "../api/events";

export const providers = signal<Provider[]>([]);
export const providersState = signal<"loading" | "ready" | "failed">("loading");
export const providersError = signal("");
export const tools = signal<ToolServer[]>([]);

let asked: Promise<void> | undefined;

async function read(): Promise<void> {
  try {
    const list = await got(api.GET("/api/v1/providers"));
    providers.value = await Promise.all(list.items.map((p) => one(p.name).catch(() => p)));
    providersState.value = "ready";
  } catch (e) {
    providersError.value = message(e);
    if (!providers.peek().length) providersState.value = "failed";
  }
  try {
    tools.value = (await got(api.GET("/api/v1/tools"))).items;
  } catch {
    tools.value = []; // a server without tools
  }
}

function one(name: string): Promise<Provider> {
  return got(api.GET("/api/v1/providers/{provider}", { params: { path: { provider: name } } }));
}

export function loadProviders(): Promise<void> {
  asked ??= read().finally(() => (asked = undefined));
  return asked;
}

function replace(p: Provider): void {
  providers.value = providers.peek().map((x) => (x.name === p.name ? p : x));
}

/** Ask a provider now how it is and which models it has. */
export async function refreshProvider(name: string): Promise<void> {
  replace(await got(api.POST("/api/v1/providers/{provider}/refresh", { params: { path: { provider: name } } })));
}

export async function refreshAll(): Promise<void> {
  await Promise.all(providers.peek().map((p) => refreshProvider(p.name)));
}

export function testModel(provider: string, model: string) {
  return got(api.POST("/api/v1/providers/{provider}/test", { params: { path: { provider } }, body: { model } }));
}

let first = false;
/** Views that need them say so. */
export function needProviders(): void {
  if (first) return;
  first = true;
  void loadProviders();
}

on("reset", () => first && void loadProviders());
// A server that has just started answers before it has asked its providers.
let again: ReturnType<typeof setTimeout> | undefined;
on("ready", () => {
  if (!first) return;
  clearTimeout(again);
  again = setTimeout(() => void loadProviders(), 500);
});
