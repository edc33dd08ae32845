#!/bin/sh
# MCP at /mcp of the server: a token with the scope, both eras, no sessions.
export XDG_RUNTIME_DIR="$PWD" BOUGH_STORE="$PWD/a.db"
talk
token=$(bough token create agent --scopes mcp,read)
other=$(bough token create other --scopes read)
bough serve --json --quiet --socket "$PWD/own" --listen '127.0.0.1:0' >out 2>err &
server=$!
for _ in $(seq 100); do grep -qs login out && break; sleep 0.1; done
port=$(sed -n 's|.*"http://127.0.0.1:\([0-9]*\)".*|\1|p' out)
post() { METHOD=POST BODY=$1 ask-http "$port" /mcp "Authorization: Bearer ${2:-$token}" | mask | cut -c1-130; }

post '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}'
post '{"jsonrpc":"2.0","method":"notifications/initialized"}'
post '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_tree","arguments":{"session":"#1"}}}'
post '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"remember","arguments":{"scope":"all","content":"x"}}}'
post '{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}'
post 'garbage'
post '{"jsonrpc":"2.0","id":4,"method":"ping"}' "$other"
post '{"jsonrpc":"2.0","id":5,"method":"ping"}' wrong
ask-http "$port" /mcp "Authorization: Bearer $token" | head -n 1
METHOD=DELETE ask-http "$port" /mcp "Authorization: Bearer $token" | head -n 1
kill -INT $server
wait $server
echo "exit $?"
cat err
bough fsck
