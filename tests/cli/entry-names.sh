#!/bin/sh
# Names an entry by "@N"; anything else behind the @ is refused and nothing is shown.
export BOUGH_STORE="$PWD/a.db"
bough new "Numbers" >/dev/null
bough append numbers one >/dev/null
bough append numbers two >/dev/null
for name in @2 @3 @ @2x @-1 @0; do
    echo "$name:"
    bough head numbers "$name" 2>&1 | mask
done
