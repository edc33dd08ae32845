#!/bin/sh
# Archives sessions: they leave the list, can be read and forked, but not written.
export BOUGH_STORE="$PWD/a.db"
talk
titles() { bough ls --sort created "$@" | cut -f 2,9,12; }
bough archive '#2' && titles && titles --archived && titles --all
bough archive '#2'; echo "exit $?"
bough show '#2' --last 1 --no-header | mask
echo "-- read-only"
bough append '#2' "too late"; echo "exit $?"
bough todo '#2' --add "too late"; echo "exit $?"
bough head '#2' @1; echo "exit $?"
bough fork '#2' --title "A fork goes on" | mask
bough append '#4' "still open" | mask
echo "-- several at once, up to the first that fails"
bough archive '#1' '#9' '#3'; echo "exit $?"
titles --all --kind all
echo "-- refused"
bough archive; echo "exit $?"
bough archive '#1' --json; echo "exit $?"
bough --store none.db archive '#1' 2>&1 | mask
bough fsck
