#!/bin/sh
# Shows the changes in order: the latest, all, of one session, from a number on, as they happen.
export BOUGH_STORE="$PWD/a.db"
talk
bough log -n 3 | mask
bough log --after 2 --json | head -n 2 | mask
bough log --after 16 | cut -f 1,3
bough log --session '#3' | mask
bough log --all | wc -l | tr -d ' '
bough log | cut -f 3 | sort | uniq -c | sed 's/^ *//'
bough log --after 18; echo "exit $?"
echo "-- follows a store while it is written"
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
echo "-- refused"
bough log '#1'; echo "exit $?"
bough log --session '#9'; echo "exit $?"
bough log -n many; echo "exit $?"
bough log --after -1; echo "exit $?"
bough --store none.db log 2>&1 | mask
