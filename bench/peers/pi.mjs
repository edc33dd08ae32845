// What the real pi does with its own files, one whole process each:
//   pi.mjs context FILE      open it and build what the model would get
//   pi.mjs fork FILE         open it and fork it at its leaf
//   pi.mjs list FOLDER       list the sessions in it
// The module is named directly: the package's entry also loads its terminal and its providers, which
// would be counted as its sessions' work.
const [what, path, where] = process.argv.slice(2);
const pi = "../../tests/clients/node_modules/@earendil-works/pi-coding-agent/dist/core/";
const { SessionManager } = await import(new URL(pi + "session-manager.js", import.meta.url));

if (what === "list") {
  console.log((await SessionManager.list("/srv/project", path)).length);
} else {
  const session = SessionManager.open(path, where);
  if (what === "context") console.log(session.buildSessionContext().messages.length);
  else console.log(session.createBranchedSession(session.getLeafId()));
}
