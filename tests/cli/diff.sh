#!/bin/sh
# Compares two branches, two sessions, two entries: the common part, and what each adds.
export BOUGH_STORE="$PWD/a.db"
talk
bough diff '#1.6' '#2.4' | mask
echo "-- sessions"
bough diff '#1' '#2' | mask
bough diff '#1:@2' cause | mask
bough diff '#1.6' '#2.4' --json | mask
bough diff '#1' nothing; echo "exit $?"
bough diff '#9' '#1'; echo "exit $?"
on-terminal COLUMNS=60 NO_COLOR=1 bough diff why-is-the-cache-stale '#2.4' --no-pager
