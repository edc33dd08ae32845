// A proxy for clients that send no token: it adds one, and turns the proxy's address in Host and Origin into the server's. Foreign ones pass as they are, for
// the server to refuse.
import { createServer, request } from "node:http";

/** A proxy for the server at `url`: { url, close() }. */
export async function startProxy(url, token) {
  const target = new URL(url);
  const proxy = createServer((asked, answer) => {
    const own = `:${proxy.address().port}`;
    const mapped = (value) => (value?.endsWith(own) ? `${value.slice(0, -own.length)}:${target.port}` : value);
    const headers = { ...asked.headers, host: mapped(asked.headers.host), authorization: `Bearer ${token}` };

    if (headers.origin) headers.origin = mapped(headers.origin);
    const onward = request({ host: target.hostname, port: target.port, method: asked.method, path: asked.url, headers }, (reply) => {
      answer.writeHead(reply.statusCode, reply.headers);
      reply.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise((ready) => proxy.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${proxy.address().port}`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
