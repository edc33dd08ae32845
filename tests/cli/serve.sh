#!/bin/sh
# A server starts, answers, refuses requests without a token, and stops on a signal without leaving files behind.
export XDG_RUNTIME_DIR="$PWD"
bough serve --http --port 0 --quiet >out 2>err &
server=$!
for _ in $(seq 100); do grep -qs login out && break; sleep 0.1; done
port=$(sed -n 's|^Listening on http://127.0.0.1:\([0-9]*\)$|\1|p' out)
mask <out | sed -E "s/:$port/:<port>/; s/[0-9a-f]{64}/<code>/"
stat -c '%a %F' bough bough/sock
awk '/^Max core file size/ { print "core files of", $5, "bytes" }' "/proc/$server/limits"

ask() { ask-http "$port" "$@"; }
ask /healthz
ask /readyz
ask /api/v1
token=$(bough token create ci)
ask /api/v1 "Authorization: Bearer $token" | sed -E 's/"store":"[0-9a-f]+"/"store":"<id>"/'
bough token revoke ci
ask /api/v1 "Authorization: Bearer $token"
ask /api | grep -c 'href="/api/v1"'
ask / | grep -c '<div id="app">'
bough serve --link | sed -E "s/:$port/:<port>/; s/[0-9a-f]{64}/<code>/"
bough serve --link --socket nothing-here || echo "exit $?"

kill -HUP $server
ask /healthz
kill -TERM $server
wait $server
echo "exit $?"
ls bough
cat err
bough serve --listen 0.0.0.0:80 || echo "exit $?"
bough serve --listen here || echo "exit $?"
