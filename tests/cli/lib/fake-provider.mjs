// A provider for tests of commands: answers each chat completion with the last prompt in capitals, as a stream; without one, with a sentence.
// Prints its port. A prompt "fail" is answered with 429, "slow" never ends; "call TOOL JSON" calls that tool if it is offered.
import http from "node:http";

const server = http.createServer((req, res) => {
  let body = "";
  req.on("data", (d) => (body += d));
  req.on("end", () => {
    if (req.method === "GET") {
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify({ object: "list", data: [{ id: "tiny-1", object: "model" }] }));
      return;
    }
    const { model, messages, stream, tools } = JSON.parse(body);
    const last = messages[messages.length - 1].content;
    const text = typeof last === "string" ? last : last.map((p) => p.text ?? "").join("");
    if (text === "fail") {
      res.statusCode = 429;
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify({ error: { message: "slow down" } }));
      return;
    }
    if (!stream) {
      res.setHeader("content-type", "application/json");
      const message = { role: "assistant", content: `A text of ${text.length > 100 ? "many" : "few"} words.` };
      res.end(JSON.stringify({ id: "c2", model, choices: [{ index: 0, message, finish_reason: "stop" }] }));
      return;
    }
    res.setHeader("content-type", "text/event-stream");
    const say = (o) => res.write(`data: ${JSON.stringify({ id: "c1", model, ...o })}\n\n`);
    const call = /^call (\S+) (.*)$/s.exec(text);
    if (call && tools) {
      const tool_calls = [{ index: 0, id: "call_1", type: "function", function: { name: call[1], arguments: call[2] } }];
      say({ choices: [{ index: 0, delta: { tool_calls } }] });
      say({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
      res.end("data: [DONE]\n\n");
      return;
    }
    for (const word of text.toUpperCase().split(/(?= )/)) say({ choices: [{ index: 0, delta: { content: word } }] });
    if (text === "slow") return;
    say({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    say({ choices: [], usage: { prompt_tokens: 10 * messages.length, completion_tokens: 5 } });
    res.end("data: [DONE]\n\n");
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
