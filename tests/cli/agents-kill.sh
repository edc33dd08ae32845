#!/bin/sh
# A server gives an agent its gateway and a token; killed with -9 it leaves no process of the agent.
export BOUGH_STORE="$PWD/a.db"
mkdir -p home/.config/bough work
here=$(cd "$(dirname "$0")/../.." && pwd)
command -v node >/dev/null || { echo "# SKIP Node is not installed"; exit 0; }
# shellcheck disable=SC2016  # bough replaces them
printf '[agent "fake"]\ncommand = node %s/tests/fakes/acp-agent.mjs %s/mark\nset = MY_URL=${gateway}/v1\nset = MY_TOKEN=${run_token}\nset = FAKE_STAYS=1\n[workspaces]\nroot = %s/work\n' \
    "$here" "$PWD" "$PWD" >home/.config/bough/config.ini
bough serve --http --port 0 --socket "$PWD/s" >log 2>&1 &
server=$!
for _ in $(seq 200); do [ -S s ] && break; sleep 0.1; done
ask() { curl -s --unix-socket s -H 'Content-Type: application/json' "http://localhost/api/v1/$1" -d "$2"; }
session=$(ask sessions '{}' | grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4)
turn() { ask "sessions/$session/turns" "{\"content\":\"[s:$1]\",\"adapter\":\"fake\",\"workspace\":\"$PWD/work\"}" >/dev/null; }
ended() { for _ in $(seq 300); do bough task ls | cut -f 2 | head -1 | grep -q "$1" && break; sleep 0.1; done; bough task ls | cut -f 2 | head -1; }
turn env; ended completed
echo "-- where the gateway is, and a token that is not shown"
bough show "$session" | grep -o 'MY_URL":"http://127.0.0.1:[0-9]*/v1' | head -1 | sed 's/:[0-9]*\/v1/:PORT\/v1/'
bough show "$session" | grep -o 'MY_TOKEN":"xxxxxx' | head -1
bough token ls | grep -c agent-fake
echo "-- killed while the agent works"
turn deaf; ended running
pgrep -fc "$PWD/mark" | sed 's/^[1-9].*/some/'
kill -9 $server
for _ in $(seq 100); do pgrep -f "$PWD/mark" >/dev/null || break; sleep 0.1; done
pgrep -fc "$PWD/mark"
wait $server 2>/dev/null
exit 0
