#!/bin/sh
# A server gives an agent its gateway and a token; killed with -9 it leaves no process of the agent.
export BOUGH_STORE="$PWD/a.db"
mkdir -p home/.config/bough work
here=$(cd "$(dirname "$0")/../.." && pwd)
command -v node >/dev/null || { echo "# SKIP Node is not installed"; exit 0; }
# shellcheck disable=SC2016  # bough replaces them
printf '[agent "fake"]\ncommand = node %s/tests/fakes/acp-agent.mjs %s/mark\nset = MY_URL=${gateway}/v1\nset = MY_TOKEN=${run_token}\nset = FAKE_STAYS=1\n[workspaces]\nroot = %s/work\n' \
    "$here" "$PWD" "$PWD" >home/.config/bough/config.ini
token=$(bough token create all --scopes all)
bough serve --json --quiet --socket "$PWD/s" --listen 127.0.0.1:0 >out 2>err &
server=$!
for _ in $(seq 200); do grep -qs login out && break; sleep 0.1; done
port=$(sed -n 's|.*"http://127.0.0.1:\([0-9]*\)".*|\1|p' out)
ask() { METHOD=POST BODY=$2 ask-http "$port" "/api/v1/$1" "Authorization: Bearer $token"; }
session=$(ask sessions '{}' | grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4)
turn() { ask "sessions/$session/turns" "{\"content\":\"[s:$1]\",\"adapter\":\"fake\",\"workspace\":\"$PWD/work\"}" >/dev/null; }
ended() { for _ in $(seq 300); do bough task ls | cut -f 2 | head -1 | grep -q "$1" && break; sleep 0.1; done; bough task ls | cut -f 2 | head -1; }
agents() { grep -lsa "$PWD/mar[k]" /proc/[0-9]*/cmdline | wc -l; }
turn env; ended completed
echo "-- where the gateway is, and a token that is not shown"
bough show "$session" | grep -o 'MY_URL":"http://127.0.0.1:[0-9]*/v1' | head -1 | sed 's/:[0-9]*\/v1/:PORT\/v1/'
bough show "$session" | grep -o 'MY_TOKEN":"xxxxxx' | head -1
bough token ls | grep -c agent-fake
echo "-- killed while the agent works"
turn deaf; ended running
agents | sed 's/^[1-9].*/some/'
kill -9 $server
for _ in $(seq 200); do [ "$(agents)" = 0 ] && break; sleep 0.1; done
agents
wait $server 2>/dev/null
exit 0
