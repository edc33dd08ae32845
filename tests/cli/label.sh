#!/bin/sh
# Lists labels, shows, sets, replaces and removes the label of an entry.
export BOUGH_STORE="$PWD/a.db"
talk
bough label '#1' | mask
bough label '#1' cause
bough label '#1' @2
bough label '#1' cause why && bough label '#1' --json | mask
bough label '#1' head "the end of it"; echo "exit $?"
bough label '#1' | mask
bough show '#1' why | mask
bough show '#1' "the end of it" | head -n 1 | mask
echo "-- removed"
bough label '#1' why --clear; bough label '#1' @2; echo "exit $?"
bough label '#1' "the end of it" "" && bough label '#1'; echo "exit $?"
bough label '#1' --json; echo "exit $?"
echo "-- refused"
bough label; echo "exit $?"
bough label '#9'; echo "exit $?"
bough label '#1' nothing; echo "exit $?"
bough label '#1' @99 x; echo "exit $?"
bough label '#1' @1 x --clear; echo "exit $?"
bough label '#1' --clear; echo "exit $?"
bough fsck
