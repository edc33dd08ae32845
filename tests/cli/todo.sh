#!/bin/sh
# The todo list of a session: options apply in the order given, and the new list is printed.
export BOUGH_STORE="$PWD/a.db"
talk
bough todo '#1'; echo "exit $?"
bough todo '#1' -a "write" -a "test" -p high -d 1 -s 2
bough todo '#1' --cancel 2 --reopen 1
bough todo '#1' --drop 2
bough todo '#1' --add "ship" --start 2
bough todo '#1' --json | mask
bough todo '#2'
echo "-- the whole list"
echo '[{"content":"all new","status":"in_progress"},{"content":"and"}]' | bough todo '#1' --set - --json | mask
bough todo '#1' --set '[]' --add "again"
echo "-- refused: nothing changes"
bough todo; echo "exit $?"
bough todo '#9'; echo "exit $?"
bough todo '#1' --done 7; echo "exit $?"
bough todo '#1' --done 1 --drop x; echo "exit $?"
bough todo '#1' --set '{}'; echo "exit $?"
bough todo '#1' --set '[{"content":"x","status":"lost"}]'; echo "exit $?"
bough todo '#1' --set '['; echo "exit $?"
bough todo '#1'
bough todo '#1' --clear; echo "exit $?"
bough todo '#1' --json | mask
bough fsck
