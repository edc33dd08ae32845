#!/bin/sh
# What to do about an error is said of that error: nearest names, entries, a port in use; times for people.
export BOUGH_STORE="$PWD/a.db"
talk
bough show cach; echo "exit $?"
bough show why-is-teh-cache-stale 2>&1 | tail -n 1
bough show nothing-like-it 2>&1 | tail -n 1
bough show 1 nowhere 2>&1 | tail -n 1
bough rename 1 "$(printf 'bad \377')" 2>&1 | tail -n 1
echo "-- a port that is in use"
bough serve --quiet --socket "$PWD/one" --http --port 0 >out 2>&1 &
server=$!
for _ in $(seq 500); do grep -qs 'http://127' out && break; sleep 0.02; done
port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\).*|\1|p' out | head -n 1)
bough serve --quiet --socket "$PWD/two" --http --port "$port" 2>&1 | sed "s/$port/<port>/g"
bough serve --quiet --socket "$PWD/one" 2>&1 | mask
kill $server
wait $server
echo "-- the same words for the same filters"
for command in ls search log cost; do bough help $command | grep -E -- '--(since|until) ' | cut -c 1-22; done
bough search locale --until 2020-01-01; echo "exit $?"
bough search locale until:2020-01-01; echo "exit $?"
bough log --since 1h | wc -l | tr -d ' '
bough log --until 2020-01-01
echo "-- counts"
bough new One >/dev/null
bough --store one.db new One >/dev/null && bough --store one.db fsck
bough --store one.db purge --yes one
