// pi-list.mjs NODE_MODULES CWD FOLDER: the files of the sessions the real pi lists there.
const [modules, cwd, folder] = process.argv.slice(2);
const { SessionManager } = await import(`${modules}/@earendil-works/pi-coding-agent/dist/core/session-manager.js`);

for (const session of await SessionManager.list(cwd, folder)) console.log(session.path);
