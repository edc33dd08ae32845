// A minimal server with Node and SQLite for the requests of `make bench-peers`: sessions, their context,
// and appends that are durable when they are answered. Run: node server.mjs FILE
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";

const db = new DatabaseSync(process.argv[2]);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE session(id TEXT PRIMARY KEY, title TEXT, created INTEGER, updated INTEGER, messages INTEGER);
  CREATE TABLE message(no INTEGER PRIMARY KEY, session TEXT, role TEXT, parts TEXT, time INTEGER);
  CREATE INDEX by_session ON message(session, no);
  CREATE TABLE token(hash TEXT PRIMARY KEY, label TEXT);`);
const getSession = db.prepare("SELECT * FROM session WHERE id = ?");
const newSession = db.prepare("INSERT OR IGNORE INTO session VALUES(?, 'served', ?, ?, 0)");
const touch = db.prepare("UPDATE session SET messages = messages + ?, updated = ? WHERE id = ?");
const messages = db.prepare("SELECT role, parts, time FROM message WHERE session = ? ORDER BY no");
const add = db.prepare("INSERT INTO message(session, role, parts, time) VALUES(?, ?, ?, ?)");
const findToken = db.prepare("SELECT label FROM token WHERE hash = ?");
db.prepare("INSERT INTO token VALUES(?, 'bench')").run(hash(process.env.BENCH_TOKEN ?? ""));

function hash(secret) {
  return createHash("sha256").update(secret).digest("hex");
}

function append(id, body) {
  const now = Date.now();
  const ids = [];
  db.exec("BEGIN IMMEDIATE");
  newSession.run(id, now, now);
  for (const e of body.entries) {
    ids.push(Number(add.run(id, e.role, JSON.stringify(e.parts), now).lastInsertRowid));
  }
  touch.run(body.entries.length, now, id);
  db.exec("COMMIT");
  return { ids };
}

function context(id) {
  return {
    messages: messages.all(id).map((m) => ({ role: m.role, content: JSON.parse(m.parts), timestamp: m.time })),
  };
}

function send(res, status, value) {
  const body = JSON.stringify(value);
  res.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  res.end(body);
}

function serve(req, res, body) {
  const path = req.url.split("/");
  const token = (req.headers.authorization ?? "").slice(7);
  if (!findToken.get(hash(token))) return send(res, 401, { error: "who?" });
  if (req.method === "POST") return send(res, 201, append(path[4], JSON.parse(body)));
  const session = getSession.get(path[4]);
  if (!session) return send(res, 404, { error: "no session" });
  return send(res, 200, path[5] === "context" ? context(path[4]) : session);
}

const server = createServer((req, res) => {
  if (req.method === "GET") return serve(req, res);
  const pieces = [];
  req.on("data", (piece) => pieces.push(piece));
  req.on("end", () => serve(req, res, Buffer.concat(pieces).toString()));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
