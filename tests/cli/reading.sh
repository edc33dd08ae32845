#!/bin/sh
# log, context, stats, cost, markers.
export BOUGH_STORE="$PWD/a.db"
talk
bough log -n 3 | mask
bough log --after 2 -n 1 --json | head -n 2 | mask
bough log --session '#3' | mask
bough log --all | wc -l | tr -d ' '
# What is written while it is followed, in a store of its own.
bough --store b.db new Followed >/dev/null
timeout 20 bough --store b.db log --follow -n 0 >followed &
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    bough --store b.db append '#1' "More?" >/dev/null
    sleep 0.2
    [ -s followed ] && break
done
kill $!
wait 2>/dev/null
head -n 1 followed | cut -f 3
echo "-- context"
bough context '#1' | mask
bough context '#1' --report | mask
bough context '#1' -d ui --at @2 | mask
bough context '#3' --json | mask
bough context '#1' -d klingon; echo "exit $?"
echo "-- stats"
bough stats '#1'
bough stats --json | sed 's/"file_bytes":[0-9]*/"file_bytes":N/; s/"content_bytes":[0-9]*/"content_bytes":N/'
echo "-- cost"
bough cost | mask
bough cost --by project
bough cost --by model
bough cost --by session --json | mask
bough append '#2' --role assistant -m openai/gpt --cost 1 "Paid by a fork." >/dev/null
bough cost --by model # adds up: no corrections
bough cost --since 2030-01-01; echo "exit $?"
bough cost --by year; echo "exit $?"
echo "-- markers"
bough markers '#1' | mask
bough markers '#3'; echo "exit $?"
