// Lists of words that the API accepts, for menus. The compiler holds each against openapi.json.
import type { paths } from "./client";

type Dialect = NonNullable<NonNullable<paths["/api/v1/sessions/{id}/context"]["get"]["parameters"]["query"]>["dialect"]>;

/** Every dialect once: a missing or unknown one does not compile. */
const dialect: Record<Dialect, true> = {
  hygge: true,
  pi: true,
  ui: true,
  "openai-chat": true,
  "openai-responses": true,
  anthropic: true,
  gemini: true,
};

export const dialects = Object.keys(dialect) as Dialect[];
