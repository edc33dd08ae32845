#!/bin/sh
# Appends a compaction marker: the context begins with its summary, and nothing is removed.
export BOUGH_STORE="$PWD/a.db"
talk
bough append '#3' "one" >/dev/null && bough append '#3' "two" >/dev/null
bough compact '#3' "Short." --keep @2 --tokens-before 900 --tokens-saved 700 --details '{"by":"hand"}' | mask
bough markers '#3' --json | mask
bough context '#3' | mask
bough show '#3' --messages --no-header | grep -c ^user
echo "-- from stdin, up to an entry; the whole path"
echo "Shorter." | bough compact '#3' - --before @3 | mask
bough compact '#3' "All of it." | mask
bough context '#3' | mask
bough markers '#3' | cut -f 1,4,5
echo "-- with a key: once"
bough compact '#2' "Once." --key k >one && bough compact '#2' "Once." --key k | cmp - one && echo "the same"
bough markers '#2' | wc -l | tr -d ' '
echo "-- refused"
bough compact '#3'; echo "exit $?"
bough compact '#9' x; echo "exit $?"
bough compact '#3' x --before @1 --keep @1; echo "exit $?"
bough compact '#3' x --keep @99; echo "exit $?"
bough compact '#3' x --tokens-saved many; echo "exit $?"
bough compact '#3' x --details '{'; echo "exit $?"
bough fsck
