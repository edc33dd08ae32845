// The API of the server, typed by its own description (clients/ts/api.d.ts is printed from openapi.json).
import { signal } from "@preact/signals";
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "../../../clients/ts/api";

type Schemas = components["schemas"];
export type { paths };
export type Session = Schemas["Session"];
export type Entry = Schemas["Entry"];
export type Call = Schemas["Call"];
export type Hit = Schemas["Hit"];
export type Totals = Schemas["Totals"];
export type Memory = Schemas["Memory"];
export type Todos = Schemas["Todos"];
export type Label = Schemas["Label"];
export type Imported = Schemas["Imported"];
export type Store = Schemas["Store"];
export type CostReport = Schemas["Cost"];
export type Source = Schemas["Source"];
export type Run = Schemas["Run"];
export type Approval = Schemas["Approval"];
export type Activity = Schemas["Activity"];
export type Activities = Schemas["Activities"];
export type Prompt = Schemas["Prompt"];
export type Provider = Schemas["Provider"];
export type Budget = Schemas["Budget"];
export type ToolServer = Schemas["ToolServer"];
export type Agent = Schemas["Agent"];
export type AgentProbe = Schemas["AgentProbe"];
export type ChangedFile = Schemas["ChangedFile"];
export type Turn = Schemas["Turn"];
export type TurnNew = Schemas["TurnNew"];

/** What the server thinks of us: a browser signs in with the link that `bough serve` prints. */
export const access = signal<"unknown" | "ok" | "signed-out" | "denied">("unknown");

/** A request that did not succeed, in the words of the server. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly detail?: unknown,
  ) {
    super(message);
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  try {
    const body = (await response.clone().json()) as { error?: { code?: string; message?: string; detail?: unknown } };
    if (body.error) return new ApiError(response.status, body.error.code ?? "", body.error.message ?? "", body.error.detail);
  } catch {
    // Not ours: a proxy's answer, or none at all.
  }
  return new ApiError(response.status, "http", `the server answered ${response.status}`);
}

const failing: Middleware = {
  async onResponse({ response }) {
    if (response.status === 401) access.value = "signed-out";
    else if (response.ok) access.value = "ok";
    if (!response.ok && response.status !== 304) throw await errorOf(response);
    return undefined;
  },
  onError() {
    return new ApiError(0, "offline", "the server cannot be reached");
  },
};

export const api = createClient<paths>({ baseUrl: location.origin, credentials: "same-origin" });
api.use(failing);

/** The data of an answer; failures were thrown already. */
export async function got<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  return data as T;
}

export function message(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}

/** A key that makes one user's action happen once, however often it is sent. */
export function actionKey(): string {
  return crypto.randomUUID();
}
