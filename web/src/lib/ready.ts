// Can a prompt be sent, and if not, why? Known before anything is sent. Pure.
import type { Provider } from "../api/client";

/** A model of a provider, as it is chosen in the composer. */
export interface Choice {
  provider: string;
  model: string;
}

export interface Readiness {
  ok: boolean;
  /** No provider has a model at all: the first start. */
  nothing: boolean;
  /** One sentence. */
  why: string;
  provider?: Provider;
  /** Models that could be used instead. */
  models: Choice[];
  steps: string[];
}

/** All models that can be used now. */
export function routable(providers: Provider[]): Choice[] {
  return providers
    .filter((p) => !p.blocked && p.reachable !== false)
    .flatMap((p) => (p.models ?? []).map((m) => ({ provider: p.name, model: m.id })));
}

/** Providers of this machine have exactly what they list; hosted ones may have more. */
function mustList(p: Provider): boolean {
  return p.kind === "demo" || (p.kind === "openai-compatible" && (p.models?.length ?? 0) > 0);
}

const reasons: Record<string, string> = {
  no_key: "it has no key",
  key_refused: "its key was refused",
  not_reachable: "it cannot be reached",
  no_models: "it has no model yet",
};

export function readiness(providers: Provider[], choice: Choice | undefined): Readiness {
  const models = routable(providers);
  const base = { ok: false, nothing: false, models, steps: [] as string[] };
  if (!choice?.model) {
    return models.length
      ? { ...base, why: "No model is chosen", steps: ["Choose one of the discovered models."] }
      : { ...base, nothing: true, why: "No model can be reached yet", steps: providers.flatMap((p) => p.next_steps.map((s) => s.text)) };
  }
  const provider = providers.find((p) => p.name === choice.provider);
  if (!provider) {
    return {
      ...base,
      nothing: !models.length,
      why: `There is no provider ${choice.provider}`,
      steps: ["Choose one of the discovered models."],
    };
  }
  const steps = provider.next_steps.map((s) => s.text);
  const other = models.length ? [`Or choose one of the ${models.length} discovered models.`] : [];
  if (provider.blocked) {
    const reason = reasons[provider.blocked] ?? provider.blocked;
    return { ...base, provider, why: `${provider.name} cannot be used: ${reason}`, steps: [...steps, ...other] };
  }
  if (mustList(provider) && !provider.models?.some((m) => m.id === choice.model)) {
    return {
      ...base,
      provider,
      why: `${choice.model} is no longer reported by ${provider.name}`,
      steps: [`Load ${choice.model} again, then refresh.`, ...other],
    };
  }
  return { ...base, ok: true, provider, why: "" };
}
