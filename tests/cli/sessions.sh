#!/bin/sh
# Create, list, filter, rename, archive, delete, restore and purge sessions.
export BOUGH_STORE="$PWD/a.db"
bough ls 2>err; echo "exit $?"; mask <err
talk
bough ls | mask
echo "-- filters"
titles() { bough ls "$@" >out; code=$?; cut -f 2,9,11 out; return $code; }
titles --kind all
titles --kind subagent
titles --parent '#1'
titles --roots --include-subagents
titles -q LOCALE; echo "exit $?"
titles -q another
titles --here; echo "exit $?"
titles -p /srv/shop -n 1
titles --since 1h --until 2030-01-01 --sort created
titles --since 2030-01-01; echo "exit $?"
echo "-- json"
bough ls -n 1 --json | mask
bough ls --slugs --kind all
echo "-- changes"
bough rename '#2' "Another way"
titles
bough rename '#2' "" && titles
bough archive '#2' && titles && titles --archived && titles --all
bough append '#2' "too late"; echo "exit $?"
bough unarchive '#2'
bough rm '#2' '#3' && titles --kind all && titles --deleted --kind all
bough restore '#2' '#3' && titles --kind all
bough purge '#1' </dev/null; echo "exit $?"
bough purge '#1' --yes; echo "exit $?"
bough show '#1'; echo "exit $?"
bough ls --kind all | cut -f 2,9
bough fsck --quick
bough new --slug why-not --model gpt -p '' --json | mask
bough new --slug why-not; echo "exit $?"
