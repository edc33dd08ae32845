#!/bin/sh
# Forks at the head, at an entry, before it; a fork shares entries, a copy has its own.
export BOUGH_STORE="$PWD/a.db"
talk
bough fork '#1' | mask
bough fork '#1' '#1.3' --title Before --before --json | mask
bough fork '#1' '#1.3' --before -t Copy --copy -m openai/gpt --id mine --json | mask | cut -c 1-240
bough ls -n 3 --sort created | cut -f 2,6,8,9
at() { bough show "$@" --no-header | grep -E '^[a-z_]+  (@|#)' | mask; }
echo "-- at the head"
at '#4'
bough tree '#4'
echo "-- before an entry, and a copy with its label"
at '#5'
at mine
bough show '#6' --no-header --messages --last 1 | mask
bough tree '#6'
echo "-- what a fork appends is its own"
bough append '#5' "Only here." --json | mask
bough stats '#1' | grep ^entries
echo "-- refused"
bough fork; echo "exit $?"
bough fork '#9'; echo "exit $?"
bough fork '#1' @99; echo "exit $?"
bough fork '#3' '#1.2'; echo "exit $?"
bough fork '#1' --id mine; echo "exit $?"
bough ls | wc -l | tr -d ' '
bough fsck
