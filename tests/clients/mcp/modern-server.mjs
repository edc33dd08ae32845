// A server made with the SDK 2.x, which speaks 2026-07-28, over stdio.
import { bin } from "../tools.mjs";

const at = (file) => import(bin(`@modelcontextprotocol/server/dist/${file}.mjs`));
const { McpServer } = await at("index");
const { serveStdio } = await at("stdio");
const { z } = await import(bin("zod/v4/index.js"));

await serveStdio(() => {
  const server = new McpServer({ name: "modern", version: "1" });
  server.registerTool("shout", { description: "Says it loudly", inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: "text", text: text.toUpperCase() }] }));
  server.registerTool("point", { description: "A point", inputSchema: z.object({}), outputSchema: z.object({ x: z.number() }) },
    async () => ({ content: [], structuredContent: { x: 1 } }));
  return server;
});
