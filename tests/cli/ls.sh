#!/bin/sh
# Lists sessions, the newest first: filters, order, limit; in a pipe, as JSON, as slugs.
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
titles --model claude-sonnet-4-5 -n 1
titles --model gpt; echo "exit $?"
titles --since 1h --until 2030-01-01 --sort created
titles --since 2030-01-01; echo "exit $?"
echo "-- archived and deleted"
bough archive '#2' && bough rm '#3'
titles --kind all
titles --archived
titles --all --sort modified
titles --deleted --kind all
titles --include-deleted --kind all
echo "-- json"
bough ls --all -n 1 --json | mask
bough ls --slugs --kind all --all --include-deleted
echo "-- refused"
bough ls extra; echo "exit $?"
bough ls --kind other; echo "exit $?"
bough ls --sort size; echo "exit $?"
bough ls --limit few; echo "exit $?"
bough ls --since never; echo "exit $?"
bough ls --parent '#9'; echo "exit $?"
