#!/bin/sh
# Shows the head of a session, moves it, resets it. Entries stay; the next append starts a branch.
export BOUGH_STORE="$PWD/a.db"
talk
bough head '#1' | mask
bough head '#1' --json | mask
bough head '#1' @2 | mask
bough head '#1' cause --json | mask
echo "-- the next append starts a branch"
bough append '#1' "Another question" --json | mask
bough branch '#1' | cut -f 1-4,6
echo "-- no head: the next append starts at the root"
bough head '#1' --none | od -c | head -n 1
bough head '#1' --none --json
bough append '#1' "From the start" --json | mask
bough head '#1' '#1.7' | mask
bough show '#1' --last 1 --no-header | mask
echo "-- refused"
bough head; echo "exit $?"
bough head '#9'; echo "exit $?"
bough head '#1' @99; echo "exit $?"
bough head '#1' nothing; echo "exit $?"
bough head '#3' '#1.2'; echo "exit $?"
bough head '#1' @1 --none; echo "exit $?"
bough head '#1' | mask
bough fsck
