#!/bin/sh
# Runs of a server are listed, shown, approved, rejected, cancelled and retried from the command line.
export BOUGH_STORE="$PWD/a.db"
provider='' server='' port=''
eval "$(agent-server)"
ask() { METHOD=POST BODY=$2 ask-http "$port" "/api/v1/$1" "Authorization: Bearer $(cat token)"; }
turn() { ask "sessions/1/turns" "{\"content\":\"$1\",\"runtime\":\"agent\",\"model\":\"tiny-1\",\"workspace\":\"$PWD/work\"}" | head -n 1; }
wait_for() { for _ in $(seq 300); do [ "$(bough task ls -n 1 | cut -f 2)" = "$1" ] && break; sleep 0.1; done; bough task ls -n 1 | cut -f 2,3,5,6; }
ask sessions '{"title":"Work"}' | head -n 1
echo "-- a run waits for a person, who says yes"
turn 'call files_write {\"path\":\"a.txt\",\"content\":\"x\"}'; wait_for awaiting_approval
bough task show 1 | mask | grep -i -A3 -e status -e wait
bough task approve 1; echo "exit $?"
wait_for completed; cat work/a.txt; echo
echo "-- one that is rejected with a reason goes on without the tool"
turn 'call files_write {\"path\":\"b.txt\",\"content\":\"x\"}'; wait_for awaiting_approval
bough task reject 1 --note "not that one"; wait_for completed; ls work
bough task log 1 | cut -f 3- -d ' ' | mask
echo "-- one that is rejected and stopped"
turn 'call files_write {\"path\":\"b.txt\",\"content\":\"x\"}'; wait_for awaiting_approval
bough task reject 1 --stop; wait_for failed
echo "-- one that is cancelled while it waits, and done again"
turn 'call files_write {\"path\":\"c.txt\",\"content\":\"x\"}'; wait_for awaiting_approval
bough task cancel 1 --note enough; wait_for cancelled
bough task retry 1 --approve allow; echo "exit $?"; ls work
bough task ls --status "failed cancelled" | cut -f 2
echo "-- mistakes"
bough task show nothing; echo "exit $?"
bough task fly 1; echo "exit $?"
bough task approve 1 2>&1 | mask
kill "$server" "$provider"
for _ in $(seq 100); do kill -0 "$server" 2>/dev/null || break; sleep 0.1; done
bough fsck >/dev/null; echo "fsck $?"
