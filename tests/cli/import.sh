#!/bin/sh
# Imports a pi session twice, after it grew, and with broken lines; finds it; exports it again.
mask() { sed -e "s|$PWD/||g" -e 's/01[0-9A-Z]\{24\}/ID/g' -e 's/^\([^	]*	\)[a-z]*-[a-z]*	/\1SLUG	/'; }
line() { echo "{\"type\":\"message\",\"id\":\"$1\",\"parentId\":$2,\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"$3\",\"content\":\"$4\",\"timestamp\":1}}"; }
mkdir sessions
{
    echo '{"type":"session","version":3,"id":"s-1","timestamp":"2026-11-15T20:00:00.000Z","cwd":"/srv/toy"}'
    line a null user 'where is the quokka'
    line b '"a"' assistant 'on the \u001b[31m island'
} >sessions/x_s-1.jsonl
echo 'not a session' >sessions/other.json
bough import sessions | mask
bough import sessions --verbose | mask
echo '{"torn' >>sessions/x_s-1.jsonl
line c '"b"' user 'thanks' >>sessions/x_s-1.jsonl
bough import sessions | mask
bough import sessions --dry-run --json | mask
bough import nowhere; echo "exit $?"
bough import sessions/other.json >said; code=$?; mask <said; echo "exit $code"
bough search quokka | mask
bough search island | mask
bough search wombat; echo "exit $?"
bough search 're:qu[a-z]+a' | mask
bough search 're:qu(' ; echo "exit $?"
bough export '#1' --format pi -o out.jsonl && cat out.jsonl
bough export '#1' --format pi -o out.jsonl; echo "exit $?"
bough export '#1' --format pi --dir there
bough export '#1' --format nonsense; echo "exit $?"
echo "-- names from a transcript are no paths"
printf '{"type":"session","version":3,"id":"../..\\u001b[31m","timestamp":"2026-11-15T21:00:00.000Z","cwd":"/srv/\\u001b]0;x\\u0007/../../etc"}\n' >odd.jsonl
line a null user hi >>odd.jsonl
bough import odd.jsonl sessions/other.json >said; code=$?; mask <said; echo "exit $code"
bough export '#2' --format pi --dir there
find there -type f | sort | od -c | grep -c 033
echo "-- follow"
heard() { # TEXT: waits for it, at most five seconds
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
        bough show '#1' | grep "$1" && return
        sleep 0.2
    done
    echo "never heard: $1"
}
bough import sessions --follow >followed 2>&1 &
pid=$!
sleep 0.5
line d '"c"' assistant 'welcome' >>sessions/x_s-1.jsonl
heard welcome
line e '"d"' user 'goodbye' >>sessions/x_s-1.jsonl
heard goodbye
kill "$pid"
wait "$pid"
echo "exit $?"
echo "-- two followers of one file"
bough import sessions/x_s-1.jsonl --follow >followed 2>&1 &
pid=$!
bough import sessions --follow >followed2 2>&1 &
other=$!
sleep 0.5
parent=e
for i in 1 2 3 4 5 6 7 8; do
    line "t$i" "\"$parent\"" user "turn $i" >>sessions/x_s-1.jsonl
    parent=t$i
    sleep 0.05
done
heard 'turn 8'
kill "$pid" "$other"
wait "$pid"; echo "exit $?"
wait "$other"; echo "exit $?"
bough show '#1' | grep -c 'turn'
# The file may be read once more, depending on how far the follower got; nothing must be new.
bough import sessions | tail -n 1 | sed 's/added, .*/added/'
bough fsck
