#!/bin/sh
# Restores deleted sessions as they were; a purged session cannot come back.
export BOUGH_STORE="$PWD/a.db"
talk
titles() { bough ls --kind all --all "$@" | cut -f 2,9,12; }
bough show '#1' --json >before
bough archive '#2' && bough rm '#1' '#2' '#3'
titles; titles --deleted
bough restore '#1' '#2' '#3'; echo "exit $?"
titles
bough show '#1' --json | cmp - before && echo "the same"
bough search "turned off" | wc -l | tr -d ' '
bough append '#1' "Going on." | mask
bough restore '#1'; echo "exit $?"
bough archive 2 && bough unarchive 1 2; echo "exit $?"
echo "-- refused"
bough purge '#3' --yes
bough restore '#3'; echo "exit $?"
bough restore; echo "exit $?"
bough restore '#9'; echo "exit $?"
bough restore '#1' --json; echo "exit $?"
bough fsck
