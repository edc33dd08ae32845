#!/bin/sh
# A read-only server: every read works, every change is refused.
export XDG_RUNTIME_DIR="$PWD"
session=$(bough new "Look only")
token=$(bough token create ci --scopes all)
bough serve --read-only --json --quiet --socket "$PWD/own" --listen '127.0.0.1:0' >out 2>err &
server=$!
for _ in $(seq 100); do grep -qs login out && break; sleep 0.1; done
port=$(sed -n 's|.*"http://127.0.0.1:\([0-9]*\)".*|\1|p' out)

ask-http "$port" "/api/v1/sessions/$session" "Authorization: Bearer $token" | head -n 1
METHOD=DELETE ask-http "$port" "/api/v1/sessions/$session" "Authorization: Bearer $token" | mask
kill -INT $server
wait $server
echo "exit $?"
cat err
bough ls | cut -f 9
{ bough --store none serve --read-only || echo "exit $?"; } 2>&1 | mask
