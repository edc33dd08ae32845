#!/bin/sh
# Deletes sessions: they leave lists and search, but everything is kept and can still be read and written.
export BOUGH_STORE="$PWD/a.db"
talk
titles() { bough ls --kind all "$@" | cut -f 2,9,12; }
bough rm '#2' '#3' && titles
titles --deleted
bough search "turned off"; echo "exit $?"
bough stats | grep -E 'sessions|entries'
echo "-- again: the time of the first deletion stays"
deleted() { bough ls --deleted --json -n 1 | grep -o '"deleted":"[^"]*"'; }
deleted >before; mask <before
bough rm '#2'; echo "exit $?"
deleted | cmp - before && echo "the same"
bough append '#2' "Still here." | mask
bough show '#2' --last 1 --no-header | mask
echo "-- the fork of a deleted session keeps its history"
bough restore '#2' && bough rm '#1'
bough show '#2' @1 | mask
titles
echo "-- all or none: one that does not exist keeps the others"
bough rm; echo "exit $?"
bough rm '#2' '#9' '#3'; echo "exit $?"
bough rm '#2' --json; echo "exit $?"
titles; titles --deleted
bough fsck
