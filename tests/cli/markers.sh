#!/bin/sh
# Lists the compactions that a session wrote, on all its branches; those before a fork belong to its source.
export BOUGH_STORE="$PWD/a.db"
talk
bough markers '#1' | mask
bough markers '#1' --json | mask
bough compact '#1' "Even shorter." >/dev/null
bough markers '#1' | cut -f 1,4,5
bough fork '#1' --title Forked >/dev/null && bough markers '#4' | cut -f 1,4,5
echo "-- none"
bough markers '#3'; echo "exit $?"
bough markers '#3' --json; echo "exit $?"
bough head '#1' @2 >/dev/null && bough markers '#1' | cut -f 1,4,5
echo "-- refused"
bough markers; echo "exit $?"
bough markers '#9'; echo "exit $?"
bough markers '#1' @2; echo "exit $?"
