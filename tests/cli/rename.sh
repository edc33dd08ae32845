#!/bin/sh
# Changes a title; the slug stays. Without a title, the first user message is shown.
export BOUGH_STORE="$PWD/a.db"
talk
titles() { bough ls "$@" | cut -f 2,3,9; }
bough rename '#2' "Another way" && titles
bough rename the-same-bug-another-way "" && titles
bough rename '#2' "Größer 日本" --json | mask
echo "-- archived and deleted sessions"
bough archive '#2' && bough rename '#2' "Closed"; echo "exit $?"
bough rm '#3' && bough rename '#3' "Gone"; echo "exit $?"
titles --all --include-deleted --kind all
echo "-- refused"
bough rename '#2'; echo "exit $?"
bough rename '#9' "Nobody"; echo "exit $?"
bough rename '#1' two words; echo "exit $?"
bough rename '#1' "$(printf 'broken \377')"; echo "exit $?"
bough log -n 2 | cut -f 3
bough fsck
