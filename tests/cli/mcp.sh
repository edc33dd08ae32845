#!/bin/sh
# MCP over standard input and output, as an agent starts it: both eras, hostile lines, rights, the end.
export BOUGH_STORE="$PWD/a.db"
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
call() { # id method params: one request
    printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s}}\n' "$1" "$2" "$3"
}
tool() { # id name arguments
    call "$1" tools/call "\"name\":\"$2\",\"arguments\":{$3}"
}
short() { mask | cut -c1-"${1:-150}"; }

bough mcp </dev/null 2>err; echo "without a store: exit $?"
mask <err
talk
echo "-- 2025-11-25 and before"
{
    call 0 initialize '"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    call '"text"' ping ''
    tool 2 list_chat_sessions '"limit":1'
    tool 3 get_chat_session '"session":"#1","limit":1'
    tool 4 search_sessions '"query":"locale"'
    tool 5 get_tree '"session":"why-is-the-cache-stale"'
    tool 6 get_context '"session":"#1"'
    tool 7 get_cost ''
    call 8 resources/read '"uri":"bough://session/1"'
    call 9 prompts/get '"name":"summarize_session","arguments":{"session":"1"}'
} | bough mcp | short 110
echo "-- 2026-07-28"
{
    call 1 server/discover "$meta"
    call 2 tools/list "$meta"
    call 3 tools/call "\"name\":\"get_tree\",\"arguments\":{\"session\":\"#3\"},$meta"
    call 4 initialize "$meta"
    call 5 tools/list '"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}'
} | bough mcp | short 170
echo "-- hostile lines: each is answered, and the next one is served"
{
    echo 'garbage'
    echo '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'
    echo '{"jsonrpc":"2.0","id":null,"method":"ping"}'
    echo '{"jsonrpc":"2.0","id":1,"method":"ping","params":7}'
    printf '{"jsonrpc":"2.0","id":2,"method":"pi\000ng"}\n'
    printf '\377\376\n'
    head -c 9000000 /dev/zero | tr '\0' 'x'
    echo
    call 3 no/such/method ''
    tool 4 rm '"session":"1"'
    tool 5 get_tree '"session":7'
    tool 6 get_tree '"session":"../../store"'
    call 7 ping ''
} | bough mcp | short
echo "-- only reading, unless --write is given"
{
    tool 1 append_message '"session":"#1","role":"user","text":"hello"'
    tool 2 set_todos '"session":"#1","items":[]'
} | bough mcp | short
{
    tool 1 append_message '"session":"#2","role":"user","text":"esc \u001b[2J and\nbreak","idempotency_key":"k"'
    tool 2 append_message '"session":"#2","role":"user","text":"esc \u001b[2J and\nbreak","idempotency_key":"k"'
    tool 3 fork_session '"session":"#2","title":"By an agent"'
    tool 4 remember '"scope":"all","content":"Prices have a locale."'
    tool 5 set_todos '"session":"#2","items":[{"content":"test it"}]'
    tool 6 get_chat_session '"session":"#2","newest":true,"limit":1'
} | bough mcp --write >out; grep -c . out; grep -c '"isError":false' out
tail -n 1 out | LC_ALL=C grep -c '[[:cntrl:]]'
bough show '#2' | tail -n 2
bough todo '#2'
echo "-- SIGTERM ends it"
mkfifo in
bough mcp <in >term.out &
pid=$!
exec 3>in
call 1 ping '' >&3
until [ -s term.out ]; do sleep 0.05; done
kill -TERM $pid
wait $pid; echo "exit $?"
exec 3>&-
cat term.out
bough fsck
