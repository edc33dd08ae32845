// Runs one operation of pi on its own session files, as a whole process:
//   pi.mjs context FILE      open it and build the context for the model
//   pi.mjs fork FILE         open it and fork it at its leaf
//   pi.mjs list FOLDER       list the sessions in it
// Imports the module directly: the package's entry point also loads the terminal and the providers,
// and their start-up time would be counted.
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
