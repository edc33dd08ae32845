#!/bin/sh
# Puts entries of one branch onto another, or onto another session: shared or copied.
export BOUGH_STORE="$PWD/a.db"
s=$(bough new "Two ways")
bough append "$s" "One" >/dev/null
bough append "$s" --role assistant "Two" >/dev/null
bough append "$s" "Three" >/dev/null
bough branch "$s" @1
bough append "$s" --role assistant "Other" >/dev/null
texts() { bough show "$@" --no-header --messages | grep -vE '^[a-z]+  @|^$'; }
echo "-- onto the head"
bough pick "$s" '#1.3' | mask
texts "$s"
echo "-- onto a branch: what follows there is shared"
bough pick "$s" '#1.2' '#1.3' --onto '#1.1' --json | mask
texts "$s"
echo "-- onto another session, and to a new root"
other=$(bough new Elsewhere)
bough pick "$s" '#1.3' '#1.2' --onto "$other" --json | mask
bough pick "$s" '#1.2' --onto elsewhere --keep-head | wc -l | tr -d ' '
texts "$other"
bough pick "$s" '#1.3' --onto none --json | mask
texts "$s"
echo "-- refused"
bough pick; echo "exit $?"
bough pick "$s"; echo "exit $?"
bough pick "$s" '#1.3' '#2.2' 2>&1 | mask
bough pick "$s" '#1.3' --onto nobody; echo "exit $?"
bough pick "$s" '#1.9'; echo "exit $?"
bough fsck
