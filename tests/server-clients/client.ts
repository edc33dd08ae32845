// A typed client over a running server: what it sends and gets is checked by tsc and by the server.
import createClient from 'openapi-fetch';
import type { paths } from '../../clients/ts/api';

declare const process: { env: Record<string, string | undefined>; exit(code: number): void };

const { BOUGH_URL = '', BOUGH_TOKEN = '' } = process.env;
const bough = createClient<paths>({ baseUrl: BOUGH_URL, headers: { Authorization: `Bearer ${BOUGH_TOKEN}` } });

function check(ok: unknown, what: string): asserts ok {
  console.log(`${ok ? 'ok' : 'not ok'} ${what}`);
  if (!ok) process.exit(1);
}

const made = await bough.POST('/api/v1/sessions', { body: { title: 'Typed', project: '/srv/shop' } });
check(made.data && made.response.status === 201, 'a session is made');
const path = { id: made.data.id };

const said = await bough.POST('/api/v1/sessions/{id}/entries', {
  params: { path, header: { 'Idempotency-Key': 'k-1' } },
  body: { entries: [{ role: 'user', text: 'why?' }, { role: 'assistant', text: 'so' }] },
});
check(said.data?.ids.length === 2 && said.data.head === '#1.2', 'entries are appended');

const late = await bough.POST('/api/v1/sessions/{id}/entries', {
  params: { path, header: { 'If-Match': '"1.1"' } },
  body: { entries: [{ role: 'user', text: 'late' }] },
});
check(late.response.status === 412 && late.error?.error.code === 'precondition_failed', 'a lost head is 412');

const page = await bough.GET('/api/v1/sessions/{id}/entries', { params: { path, query: { limit: 1 } } });
check(page.data?.items[0]?.role === 'user' && page.data.next, 'a path is read in pages');

const open = await bough.POST('/api/v1/sessions/{id}/messages', { params: { path }, body: { entry: { role: 'assistant' } } });
check(open.data, 'a message is opened');
const message = { id: path.id, entry: open.data.id };
const stepped = await bough.POST('/api/v1/sessions/{id}/messages/{entry}/steps', {
  params: { path: message },
  body: { epoch: open.data.epoch, steps: [{ part: { type: 'text', text: 'Hel' } }, { text: 'lo', index: 0 }] },
});
check(stepped.data?.last === 2, 'it grows by steps');
const sealed = await bough.POST('/api/v1/sessions/{id}/messages/{entry}/seal', {
  params: { path: message },
  body: { epoch: open.data.epoch, finish: 'stop' },
});
check(sealed.data?.finish === 'stop', 'it is sealed');

const found = await bough.GET('/api/v1/search', { params: { query: { query: 'hello' } } });
check(found.data?.items.length === 1, 'it is found');
const nobody = await bough.GET('/api/v1/sessions/{id}', { params: { path: { id: 'nobody' } } });
check(nobody.error?.error.code === 'not_found', 'who is not there is 404');
const cleared = await bough.POST('/api/v1/sessions/{id}/clear', { params: { path } });
check(cleared.data?.head === null, 'an operation without a body is called without one');
