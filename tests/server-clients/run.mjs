// Lints the server's openapi.json, compares the types made of it with clients/ts, and runs a typed
// client over TCP. UPDATE=1 writes clients/ts/api.d.ts instead of comparing.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const here = import.meta.dirname, root = path.join(here, '../..');
const bough = path.join(root, 'build/debug/bough'), types = path.join(root, 'clients/ts/api.d.ts');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bough-clients-'));
const store = path.join(dir, 'store.db');

/** Run a tool of this workspace with our own Node; what it prints is shown when it fails. */
function tool(file, args, env = {}) {
  const script = path.join(here, 'node_modules', file);
  return execFileSync(process.execPath, [script, ...args], { cwd: here, env: { ...process.env, ...env }, encoding: 'utf8' });
}

/** The address it listens on, from the one line of --json. */
function listening(server) {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (piece) => {
      text += piece;
      if (text.includes('\n')) resolve(JSON.parse(text.split('\n')[0]).listening.find((at) => at.startsWith('http://127.')));
    });
    server.on('exit', (code) => reject(new Error(`bough serve ended with ${code}`)));
  });
}

execFileSync(bough, ['--store', store, 'new', 'first']);
const made = JSON.parse(execFileSync(bough, ['--store', store, 'token', 'create', 'ts', '--scopes', 'all', '--json'], { encoding: 'utf8' }));
const server = spawn(bough, ['--store', store, 'serve', '--quiet', '--json', '--http', '--port', '0', '--socket', path.join(dir, 'sock')],
  { stdio: ['ignore', 'pipe', 'inherit'] });
let failed = 0;

try {
  const url = await listening(server);
  const doc = path.join(dir, 'openapi.json'), fresh = path.join(dir, 'api.d.ts');
  fs.writeFileSync(doc, await (await fetch(`${url.replace(/\/$/, '')}/api/v1/openapi.json`)).text());
  tool('@redocly/cli/bin/cli.js', ['lint', doc, '--skip-rule=operation-2xx-response'], { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' });
  console.log('ok redocly finds openapi.json valid');
  tool('openapi-typescript/bin/cli.js', [doc, '-o', process.env.UPDATE ? types : fresh]);
  if (!process.env.UPDATE && fs.readFileSync(fresh, 'utf8') !== fs.readFileSync(types, 'utf8'))
    throw new Error('clients/ts/api.d.ts is not what openapi.json says; UPDATE=1 make test-server-clients writes it');
  console.log('ok clients/ts is what openapi.json says');
  tool('typescript/lib/tsc.js', ['--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck',
    '--lib', 'es2022,dom', '--outDir', path.join(here, 'node_modules/.client'), 'client.ts']);
  console.log('ok the client type-checks');
  process.stdout.write(tool('.client/client.js', [], { BOUGH_URL: url.replace(/\/$/, ''), BOUGH_TOKEN: made.secret }));
} catch (e) {
  console.log(`not ok ${e.message}\n${e.stdout ?? ''}${e.stderr ?? ''}`);
  failed = 1;
} finally {
  server.removeAllListeners('exit');
  server.kill('SIGTERM');
  await new Promise((done) => server.on('exit', done));
  const check = execFileSync(bough, ['--store', store, 'fsck'], { encoding: 'utf8' });
  console.log(`ok fsck: ${check.trim()}`);
  fs.rmSync(dir, { recursive: true });
}
process.exit(failed);
