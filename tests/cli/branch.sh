#!/bin/sh
# Lists branches; goes back to an entry to start one, with a summary of the branch that is left.
export BOUGH_STORE="$PWD/a.db"
talk
bough branch '#1' | mask
bough branch '#1' --json | mask
bough branch '#2' | mask
echo "-- back to an entry"
bough branch '#1' @2; echo "exit $?"
bough head '#1' | mask
bough append '#1' "Another question" --json | mask
echo "-- with a summary"
bough branch '#1' @2 --summary "Not the cache." | mask
bough show '#1' --last 1 --no-header | mask
echo "Nor this." | bough branch '#1' '#1.6' -s - | mask
bough context '#1' | grep -c 'Nor this'
bough branch '#1' | cut -f 1-4,6
echo "-- before the first entry"
bough branch '#1' none && bough head '#1' --json
echo "-- refused"
bough branch; echo "exit $?"
bough branch '#9'; echo "exit $?"
bough branch '#1' @99; echo "exit $?"
bough branch '#1' --summary x; echo "exit $?"
bough fsck
