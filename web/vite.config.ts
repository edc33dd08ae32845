// Builds the page into ../build/web. The program embeds every file of that folder.
import { defineConfig } from "vite";

export default defineConfig({
  // Vite's own place for a cache is node_modules, which may be read-only.
  cacheDir: "../build/web-cache",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../build/web",
    emptyOutDir: true,
    target: "es2022",
    // Inlined files would need data: in the policy for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The notices of what is bundled. They are embedded, too, and scripts/licenses lists them.
    license: { fileName: "assets/licenses.md" },
  },
  server: {
    // `npx vite` while editing: the page from here, the API from a server with a token.
    proxy: { "/api": "http://127.0.0.1:7447", "/login": "http://127.0.0.1:7447" },
  },
});
