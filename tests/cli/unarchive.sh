#!/bin/sh
# Makes archived sessions active again: they are back in the list and can be written.
export BOUGH_STORE="$PWD/a.db"
talk
titles() { bough ls --sort created "$@" | cut -f 2,9,12; }
bough archive '#1' '#2'
titles --all
bough unarchive '#2' why-is-the-cache-stale; echo "exit $?"
titles
bough append '#2' "open again" | mask
bough unarchive '#2'; echo "exit $?"
bough log -n 3 | cut -f 3
echo "-- refused"
bough unarchive; echo "exit $?"
bough unarchive '#9'; echo "exit $?"
bough unarchive '#1' --json; echo "exit $?"
bough fsck
