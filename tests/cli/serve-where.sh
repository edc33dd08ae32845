#!/bin/sh
# Where a server listens: its JSON output, host names from a reload, and refused addresses.
export XDG_RUNTIME_DIR="$PWD"
bough serve --json --quiet --socket "$PWD/own" --listen '127.0.0.1:0' --listen '[127.0.0.1]:0' >out 2>err &
server=$!
for _ in $(seq 100); do grep -qs login out && break; sleep 0.1; done
mask <out | sed -E 's/:[0-9]{3,5}([/"])/:<port>\1/g; s/[0-9a-f]{64}/<code>/'
port=$(sed -n 's|.*"http://127.0.0.1:\([0-9]*\)".*|\1|p' out)
token=$(bough token create ci)

as() { HOST=$1 ask-http "$port" "$2" "Authorization: Bearer $token" | head -n 1; }
as bough.example.org /api/v1
bough config http.hosts 'other.example.org bough.example.org'
kill -HUP $server
for _ in $(seq 100); do # until the server has reloaded
    as bough.example.org /healthz | grep -q 200 && break
    sleep 0.1
done
as bough.example.org /api/v1
as evil.example.org /api/v1

{ bough serve --quiet --socket "$PWD/own" || echo "exit $?"; } 2>&1 | mask
kill -INT $server
wait $server
echo "exit $?"
cat err

bough serve --listen '127.0.0.1:99999' || echo "exit $?"
bough serve --listen '127.0.0.1:' || echo "exit $?"
bough serve --http --port 70000 || echo "exit $?"
bough serve --listen 'nowhere:0' --exposed || echo "exit $?"
chmod 755 bough
{ bough serve || echo "exit $?"; } 2>&1 | mask
