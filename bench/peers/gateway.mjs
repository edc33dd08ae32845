// A minimal recording proxy with Node and SQLite for `make bench-gateway`: passes a stream on as it comes, stores the text
// of its events every 250 ms, and the whole reply before the client gets the end mark. Run: node gateway.mjs FILE PORT
import { Agent, createServer, request } from "node:http";
import { DatabaseSync } from "node:sqlite";

const db = new DatabaseSync(process.argv[2]);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE exchange(no INTEGER PRIMARY KEY, asked TEXT, answered TEXT, usage TEXT, time INTEGER);
  CREATE TABLE step(exchange INTEGER, text TEXT);`);
const begin = db.prepare("INSERT INTO exchange(asked, time) VALUES(?, ?)");
const step = db.prepare("INSERT INTO step VALUES(?, ?)");
const end = db.prepare("UPDATE exchange SET answered = ?, usage = ? WHERE no = ?");
const port = Number(process.argv[3]);
const agent = new Agent({ keepAlive: true });
const open = new Set();

// All replies that grew share one transaction.
setInterval(() => {
  const grown = [...open].filter((r) => r.fresh);
  if (!grown.length) return;
  db.exec("BEGIN");
  for (const r of grown) {
    step.run(r.no, r.fresh);
    r.fresh = "";
  }
  db.exec("COMMIT");
}, 250);

function read(reply, event) {
  if (!event.startsWith("data: {")) return;
  const chunk = JSON.parse(event.slice(6));
  const text = chunk.choices[0]?.delta.content ?? "";
  reply.text += text;
  reply.fresh += text;
  reply.usage = chunk.usage ?? reply.usage;
}

function relay(reply, up, res) {
  let rest = "";
  res.writeHead(up.statusCode, { "Content-Type": up.headers["content-type"] });
  up.setEncoding("utf8");
  up.on("data", (piece) => {
    const events = (rest + piece).split("\n\n");
    rest = events.pop();
    for (const event of events) read(reply, event);
    const last = piece.indexOf("data: [DONE]");
    res.write(last < 0 ? piece : piece.slice(0, last));
    if (last >= 0) reply.mark = piece.slice(last);
  });
  up.on("end", () => {
    open.delete(reply);
    end.run(reply.text, JSON.stringify(reply.usage), reply.no);
    res.end(reply.mark);
  });
}

function serve(req, res, body) {
  const no = Number(begin.run(body, Date.now()).lastInsertRowid);
  const reply = { no, text: "", fresh: "", usage: null, mark: "" };
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  open.add(reply);
  request({ host: "127.0.0.1", port, path: req.url, method: "POST", agent, headers }, (up) => relay(reply, up, res)).end(body);
}

const server = createServer((req, res) => {
  const pieces = [];
  req.on("data", (piece) => pieces.push(piece));
  req.on("end", () => serve(req, res, Buffer.concat(pieces).toString()));
});
server.listen(0, "127.0.0.1", 4096, () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
