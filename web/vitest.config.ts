import { defineConfig } from "vitest/config";

export default defineConfig({
  cacheDir: "../build/web-cache",
  test: { include: ["tests/*.test.ts"] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
