#!/bin/sh
# The most expensive ones, and calls of which the cost is not known.
export BOUGH_STORE="$PWD/a.db"
bough new "Talk" >/dev/null
say() { bough append 1 --role assistant "$@" >/dev/null; }
say -m a/dear --cost 3 --input 100 --cache-read 50 --cache-write 7 --output 9 "x"
say -m b/cheap --cost 1 --input 10 "x"
say -m c/local --input 20 --output 5 "x"
say -m b/cheap --input 30 "x"
bough cost --by model
bough cost --by model --top 1
bough cost --by model --json
on-terminal NO_COLOR=1 COLUMNS=120 bough cost --by model --top 1 --no-pager | sed 's/ *$//'
on-terminal NO_COLOR=1 COLUMNS=120 bough cost --by model --no-pager | grep local | sed 's/ *$//'
