// The UI message stream of the AI SDK: asking a server for it, and the message that the real SDK makes of it.
import { request } from "node:http";
import { readUIMessageStream } from "ai";

/** Ask; `hears` gets the answer so far with each piece of it. */
export function ask(socketPath, method, path, { body, accept = "application/json", hears } = {}) {
  const headers = { host: "localhost", accept, ...(body ? { "content-type": "application/json" } : {}) };

  return new Promise((done, fail) => {
    const asked = request({ socketPath, method, path, headers, timeout: 20000 }, (answer) => {
      let text = "";

      answer.setEncoding("utf8");
      answer.on("data", (piece) => {
        text += piece;
        hears?.(text);
      });
      answer.on("end", () => done({ status: answer.statusCode, headers: answer.headers, text }));
    });

    asked.on("error", fail);
    asked.on("timeout", () => asked.destroy(new Error(`no answer to ${path}`)));
    asked.end(body ? JSON.stringify(body) : undefined);
  });
}

export async function assembled(text) {
  const chunks = text.split("\n\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
  let last;

  if (chunks.pop() !== "[DONE]") throw new Error("the stream does not end with [DONE]");
  const stream = new ReadableStream({
    start(to) {
      for (const chunk of chunks) to.enqueue(JSON.parse(chunk));
      to.close();
    },
  });
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  return JSON.parse(JSON.stringify(last));
}
