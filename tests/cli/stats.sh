#!/bin/sh
# Statistics of the store, and of one session along the path to its head.
export BOUGH_STORE="$PWD/a.db"
hide() { sed -E 's/((file|content)_bytes"?[:\t])[0-9]+/\1N/g'; }
talk
bough stats | hide
bough stats --json | hide
echo "-- a session"
bough stats '#1'
bough stats '#1' --json
bough stats '#2' | grep -E '^(entries|calls|cost)' # a fork does not pay for what it shares
echo "-- another branch, and a deleted session"
bough head '#1' '#2.4' >/dev/null
bough stats '#1' | grep -E '^(entries|compactions|tool)'
bough rm '#3' && bough stats | grep -E 'sessions|cost'
echo "-- refused"
bough stats '#9'; echo "exit $?"
bough stats '#1' '#2'; echo "exit $?"
bough --store none.db stats 2>&1 | mask
