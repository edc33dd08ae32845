#!/bin/sh
# What runs wait for is listed, and settled ones too.
export BOUGH_STORE="$PWD/a.db"
provider='' server='' port=''
eval "$(agent-server)"
ask() { METHOD=POST BODY=$2 ask-http "$port" "/api/v1/$1" "Authorization: Bearer $(cat token)"; }
wait_for() { for _ in $(seq 300); do [ "$(bough task ls -n 1 | cut -f 2)" = "$1" ] && break; sleep 0.1; done; bough task ls -n 1 | cut -f 2; }
bough approvals; echo "exit $?"
ask sessions '{"title":"Work"}' | head -n 1
ask "sessions/1/turns" "{\"content\":\"call files_write {\\\"path\\\":\\\"a.txt\\\",\\\"content\\\":\\\"x\\\"}\",\"runtime\":\"agent\",\"model\":\"tiny-1\",\"workspace\":\"$PWD/work\"}" | head -n 1
wait_for awaiting_approval
bough approvals | cut -f 2,4; echo "exit $?"
id=$(bough approvals | cut -f 1)
bough approvals --json | grep -o '"status":"[a-z]*","scope'
bough task approve "$id" --scope session; wait_for completed
bough task approve "$id" 2>&1 | mask
bough approvals; echo "exit $?"
bough approvals --all | cut -f 2,4
bough approvals -n none; echo "exit $?"
kill "$server" "$provider"
for _ in $(seq 100); do kill -0 "$server" 2>/dev/null || break; sleep 0.1; done
bough fsck >/dev/null; echo "fsck $?"
