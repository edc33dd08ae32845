#!/bin/sh
# Removes sessions permanently; entries that a fork shows stay until the fork is purged. confirm.sh: on a terminal.
export BOUGH_STORE="$PWD/a.db"
talk
bough append '#3' "the quokka said" >/dev/null
echo "-- what would go" # sizes vary with the times that are packed
sizes() { sed -E 's/about [0-9]+ bytes/about N bytes/; s/"bytes":[0-9]+/"bytes":N/'; }
bough purge --dry-run 1 2 3 | sizes
bough purge --dry-run 3 --json | mask | sizes
bough ls --kind all | wc -l
echo "-- and what goes"
bough purge '#1' </dev/null; echo "exit $?"
bough purge '#3' --yes --json | mask
grep -ac quokka a.db
bough purge '#1' -y; echo "exit $?"
bough show '#1'; echo "exit $?"
bough purge '#1' --yes; echo "exit $?"
bough ls --kind all --all --include-deleted | cut -f 2,9
echo "-- the fork still shows what it shared"
bough show '#2' --messages | grep -E '^(user|assistant)' | mask
bough stats | grep -E 'sessions|entries|cost'
bough fsck
bough label '#2' head end && bough purge '#2' --yes
bough stats | grep -E 'sessions|entries|cost'
echo "-- refused"
bough purge; echo "exit $?"
bough purge '#9' --yes; echo "exit $?"
bough fsck
