// A scripted agent that speaks ACP, with every shape and fault that real ones have shown. What a turn does stands in the prompt:
// "[s:tools]" is the function tools() below. FAKE_* variables change how it starts, FAKE_HOME keeps its sessions.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';

const E = process.env;
let session = '';
let running = null; // { id, cancelled }
let nextId = 0;
let cost = 0;
let mode = 'ask';
let model = 'fake-large';
const asked = new Map();

const raw = (text) => process.stdout.write(text);
const send = (m) => raw(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\n');
const update = (u, of = session) => send({ method: 'session/update', params: { sessionId: of, update: u } });
const say = (text, messageId) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId });
const think = (text) => update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const ask = (method, params, id = nextId++) =>
    new Promise((done) => {
        asked.set(JSON.stringify(id), done);
        send({ id, method, params });
    });
const usual = [
    { optionId: 'once', kind: 'allow_once', name: 'Allow once' },
    { optionId: 'always', kind: 'allow_always', name: 'Always allow' },
    { optionId: 'no', kind: 'reject_once', name: 'Reject' },
];
const permission = (toolCall, options = usual, id) =>
    ask('session/request_permission', { sessionId: session, toolCall, options }, id);
const outcome = (answer) => answer.result?.outcome?.optionId ?? answer.result?.outcome?.outcome ?? `error ${answer.error?.code}`;
const config = () => [
    { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: model, options: [{ value: 'fake-large', name: 'L' }, { value: 'fake-small', name: 'S' }] },
    { id: 'loud', name: 'Loud', type: 'boolean', currentValue: false },
];
const modes = () => ({ currentModeId: mode, availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'auto', name: 'Auto' }, { id: 'workspace-write', name: 'W' }] });

const turns = {
    async hello() {
        say('Hel', 'm1');
        say('lo.', 'm1');
        say('Again.', 'm2');
    },
    async tools() {
        think('Look first.');
        say('I will look.', 'm1');
        update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Terminal', kind: 'execute', status: 'pending', rawInput: {}, content: [] });
        update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', title: 'ls', rawInput: { command: 'ls' } });
        const got = outcome(await permission({ toolCallId: 't1', title: 'ls', kind: 'execute', status: 'pending', rawInput: { command: 'ls' } }));
        if (got === 'cancelled') return 'cancelled';
        if (got !== 'once' && got !== 'always') {
            update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'failed', content: [{ type: 'content', content: { type: 'text', text: 'rejected' } }] });
            say(`You said ${got}.`, 'm2');
            return E.FAKE_REJECT ?? 'end_turn';
        }
        update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'in_progress' });
        update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed', rawOutput: 'a.txt', content: [{ type: 'content', content: { type: 'text', text: 'a.txt' } }, { type: 'diff', path: 'a.txt', oldText: 'a', newText: 'b' }], locations: [{ path: 'a.txt', line: 1 }] });
        say(`Done (${got}).`, 'm3');
    },
    async before() {
        const got = outcome(await permission({ toolCallId: 'b1', title: 'Write a.txt', kind: 'edit' }, usual, '11b8f205-0cc5-4d84-9c59-d518c86797d9'));
        update({ sessionUpdate: 'tool_call_update', toolCallId: 'b1', status: got === 'once' ? 'completed' : 'failed' });
        say(`Said ${got}.`);
        return got === 'once' ? 'end_turn' : (E.FAKE_REJECT ?? 'cancelled');
    },
    async two() {
        const got = await Promise.all([permission({ toolCallId: 'p1', title: 'one', kind: 'execute' }), permission({ toolCallId: 'p2', title: 'two', kind: 'execute' })]);
        say(got.map(outcome).join(' '));
    },
    async noreject() {
        say(outcome(await permission({ toolCallId: 'n1', title: 'x', kind: 'other' }, usual.slice(0, 2))));
    },
    async onlyalways() {
        say(outcome(await permission({ toolCallId: 'n1', title: 'x', kind: 'other' }, usual.slice(1, 2))));
    },
    async withdraw() {
        const answer = permission({ toolCallId: 'w1', title: 'x', kind: 'execute' }, usual, 'w');
        await sleep(300);
        send({ method: '$/cancel_request', params: { requestId: 'w' } });
        say(outcome(await answer));
    },
    async silentask() {
        await permission({ toolCallId: 's1', title: 'x', kind: 'execute' });
        return new Promise(() => {});
    },
    async askexit() {
        permission({ toolCallId: 's1', title: 'x', kind: 'execute' });
        await sleep(200);
        process.exit(4);
    },
    async report() {
        update({ sessionUpdate: 'plan', entries: [{ content: 'read', priority: 'high', status: 'completed' }, { content: 'write', priority: 'low', status: 'in_progress' }] });
        update({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'review', description: 'Review' }] });
        mode = 'auto';
        update({ sessionUpdate: 'current_mode_update', currentModeId: mode });
        model = 'fake-small';
        update({ sessionUpdate: 'config_option_update', configOptions: config() });
        update({ sessionUpdate: 'session_info_update', title: 'A title of the agent' });
        update({ sessionUpdate: 'notice', level: 'warn', text: 'kept <b>raw</b>' });
        update({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } });
        update({ sessionUpdate: 'agent_message_chunk' });
        update({ sessionUpdate: 'tool_call' });
        update({});
        say('of another session', undefined);
        update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'NOT OURS' } }, 'other');
        cost += 0.25;
        update({ sessionUpdate: 'usage_update', used: 1200, size: 200000, cost: { amount: cost, currency: 'USD' } });
        send({ method: '_auth/status_update', params: {} });
    },
    // Every text of a list in every place that is shown, then a request for permission for each.
    async evil() {
        const list = JSON.parse(readFileSync(E.FAKE_TEXTS, 'utf8'));
        update({ sessionUpdate: 'plan', entries: list.map((content) => ({ content, priority: 'high', status: 'pending' })) });
        update({ sessionUpdate: 'available_commands_update', availableCommands: list.map((x) => ({ name: x, description: x })) });
        update({ sessionUpdate: 'config_option_update', configOptions: list.slice(0, 20).map((x, i) => ({ id: `o${i}`, name: x, type: 'select', currentValue: x, options: [{ value: x, name: x }] })) });
        list.forEach((x, i) => {
            think(x);
            say(x, `m${i}`);
            update({ sessionUpdate: 'tool_call', toolCallId: `e${i}`, title: x, kind: i % 2 ? 'edit' : 'execute', status: 'in_progress', rawInput: { command: x, path: x } });
            update({
                sessionUpdate: 'tool_call_update',
                toolCallId: `e${i}`,
                status: i % 3 ? 'completed' : 'failed',
                rawOutput: x,
                content: [{ type: 'content', content: { type: 'text', text: x } }, { type: 'diff', path: x, oldText: `old ${x}`, newText: x }],
                locations: [{ path: x, line: 1 }],
            });
        });
        const options = (x) => usual.map((o) => ({ ...o, name: x }));
        await Promise.all(list.map((x, i) => permission({ toolCallId: `q${i}`, title: x, kind: 'edit', rawInput: { path: x, content: x } }, options(x))));
    },
    async files() {
        const fs = await ask('fs/write_text_file', { sessionId: session, path: '/x', content: 'x' });
        const terminal = await ask('terminal/create', { sessionId: session, command: 'ls' });
        const other = await ask('_x/y', {});
        say([fs, terminal, other].map((a) => a.error?.code).join(' '));
    },
    async write() {
        writeFileSync('made.txt', 'made\n');
        if (existsSync('a.txt')) appendFileSync('a.txt', 'more\n');
        if (existsSync('gone.txt')) unlinkSync('gone.txt');
        say('wrote');
    },
    async error() {
        throw { code: -32603, message: 'Internal error', data: { details: 'the model said 400' } };
    },
    async auth() {
        throw { code: -32000, message: 'Authentication required' };
    },
    async refusal() {
        say('I will not.');
        return 'refusal';
    },
    async max() {
        say('Too long');
        return 'max_tokens';
    },
    async unasked() {
        return 'cancelled';
    },
    async slow() {
        for (let i = 0; i < 1000 && !running.cancelled; i++) {
            say(`${i} `, 'm1');
            await sleep(20);
        }
        return running.cancelled ? 'cancelled' : 'end_turn';
    },
    async deaf() {
        say('I hear nothing.');
        return new Promise(() => {});
    },
    async late() {
        say('working');
        while (!running.cancelled) await sleep(10);
        await sleep(500);
        say(' after the cancel');
        update({ sessionUpdate: 'tool_call', toolCallId: 'l1', title: 'late', kind: 'execute', status: 'completed' });
        return 'cancelled';
    },
    async exit() {
        say('Bye.');
        process.stderr.write('fatal: it broke\n');
        await sleep(100);
        process.exit(3);
    },
    async half() {
        raw('{"jsonrpc":"2.0","method":"session/upd');
        await sleep(50);
        raw('ate","params":{"sessionId":' + JSON.stringify(session) + ',"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"whole"}}}}\r\n\n');
    },
    async halfexit() {
        raw('{"jsonrpc":"2.0","id":');
        process.exit(0);
    },
    async garbage() {
        raw('Debugger listening\n\u0000\u0001\n[1,2]\n{"jsonrpc":"1.0"}\n{"jsonrpc":"2.0","id":{},"method":"x"}\nnull\n');
        process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
        say('still here');
    },
    async wrongids() {
        send({ id: 4711, result: { stopReason: 'refusal' } });
        send({ id: 'nobody', error: { code: 1, message: 'x' } });
        send({ id: 1, result: { stopReason: 'refusal' } });
        say('fine');
    },
    async huge() {
        say('x'.repeat(8 << 20));
    },
    async toolong() {
        raw('{"x":"' + 'y'.repeat(65 << 20) + '"}\n');
    },
    async flood() {
        for (let i = 0; i < 10000; i++) {
            say(`${i}\n`, 'm1');
            if (i % 500 === 0) await sleep(0);
        }
    },
    async stay() {
        const child = spawn('sh', ['-c', 'trap "" TERM; sleep 1000; sleep 1000'], { detached: true, stdio: 'ignore' });
        child.unref();
        say(`pid ${child.pid}`);
    },
    async env() {
        say(JSON.stringify(process.env));
    },
    async secret() {
        say(`key ${E.FAKE_KEY}`);
        process.stderr.write(`key ${E.FAKE_KEY}\n`);
    },
    async history() {
        say(readFileSync(`${E.FAKE_HOME}/${session}`, 'utf8').split('\n').length.toString());
    },
    async delta() {
        update({ sessionUpdate: 'tool_call', toolCallId: 'd1', title: 'run', kind: 'execute', status: 'in_progress', content: [{ type: 'terminal', terminalId: 'x' }] });
        update({ sessionUpdate: 'tool_call_update', toolCallId: 'd1', _meta: { terminal_output_delta: { data: 'line 1\n' } } });
        update({ sessionUpdate: 'tool_call_update', toolCallId: 'd1', _meta: { terminal_output_delta: { data: 'line 2\n' } } });
        update({ sessionUpdate: 'tool_call_update', toolCallId: 'd1', status: 'completed' });
        update({ sessionUpdate: 'tool_call_update', toolCallId: 'd2', kind: 'read', title: 'only an update' });
        say('after');
    },
};

async function prompt(params) {
    const text = params.prompt.map((p) => p.text ?? p.resource?.text ?? '').join('\n');
    const name = /\[s:(\w+)\]/.exec(text)?.[1] ?? 'hello';
    if (E.FAKE_HOME) appendFileSync(`${E.FAKE_HOME}/${session}`, JSON.stringify(params.prompt) + '\n');
    if (running) throw { code: -32600, message: 'a prompt is running' };
    running = { cancelled: false };
    try {
        const stopReason = (await turns[name]()) ?? 'end_turn';
        return { stopReason, usage: { inputTokens: 100, outputTokens: 20, cachedReadTokens: 5, totalTokens: 125 } };
    } finally {
        running = null;
    }
}

const methods = {
    initialize(params) {
        if (E.FAKE_INIT === 'silent') return new Promise(() => {});
        if (E.FAKE_INIT === 'exit') process.exit(7);
        if (E.FAKE_INIT === 'error') throw { code: -32603, message: 'cannot begin' };
        const sessionCapabilities = E.FAKE_NO_RESUME ? {} : { resume: {}, list: {}, close: {} };
        return {
            protocolVersion: E.FAKE_INIT === 'version' ? 2 : params.protocolVersion,
            agentCapabilities: { loadSession: !E.FAKE_NO_LOAD, promptCapabilities: { image: !E.FAKE_PLAIN, embeddedContext: !E.FAKE_PLAIN }, sessionCapabilities },
            agentInfo: { name: 'fake', version: '1.2.3' },
            authMethods: [{ id: 'login', name: 'Log in' }],
        };
    },
    authenticate(params) {
        if (params.methodId !== 'login') throw { code: -32602, message: 'no such method' };
        return {};
    },
    'session/new'(params) {
        if (E.FAKE_NEW === 'auth') throw { code: -32000, message: 'Authentication required' };
        if (E.FAKE_NEW === 'error') throw { code: -32603, message: 'no session' };
        session = `ses-${process.pid}-${Date.now()}`;
        if (E.FAKE_HOME) {
            mkdirSync(E.FAKE_HOME, { recursive: true });
            writeFileSync(`${E.FAKE_HOME}/${session}`, '');
            writeFileSync(`${E.FAKE_HOME}/servers`, JSON.stringify(params.mcpServers));
        }
        return { sessionId: session, configOptions: config(), modes: modes() };
    },
    'session/load'(params) {
        if (!existsSync(`${E.FAKE_HOME}/${params.sessionId}`)) throw { code: -32002, message: 'not found' };
        session = params.sessionId;
        update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'REPLAYED' } });
        say('REPLAYED');
        update({ sessionUpdate: 'tool_call', toolCallId: 'r1', title: 'REPLAYED', status: 'completed' });
        return { configOptions: config(), modes: modes() };
    },
    'session/resume'(params) {
        if (!existsSync(`${E.FAKE_HOME}/${params.sessionId}`)) throw { code: -32603, message: 'not found' };
        session = params.sessionId;
        return { configOptions: config(), modes: modes() };
    },
    'session/set_mode'(params) {
        mode = params.modeId;
        return {};
    },
    'session/set_config_option'(params) {
        if (params.configId === 'model') model = params.value;
        return { configOptions: config() };
    },
    'session/prompt': prompt,
    'session/close': () => ({}),
};

async function handle(m) {
    if (!m.method) {
        const done = asked.get(JSON.stringify(m.id));
        asked.delete(JSON.stringify(m.id));
        return done?.(m);
    }
    if (m.method === 'session/cancel' && running) running.cancelled = true;
    if (m.id === undefined) return;
    try {
        if (!methods[m.method]) throw { code: -32601, message: 'no such method' };
        const result = await methods[m.method](m.params);
        send(E.FAKE_TEXT_IDS ? { id: String(m.id), result } : { id: m.id, result });
    } catch (e) {
        send({ id: m.id, error: e.code ? e : { code: -32603, message: String(e) } });
    }
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (piece) => {
    rest += piece;
    const lines = rest.split('\n');
    rest = lines.pop();
    for (const line of lines) if (line) handle(JSON.parse(line));
});
if (!E.FAKE_STAYS) process.stdin.on('end', () => process.exit(0));
else setInterval(() => {}, 1000);
