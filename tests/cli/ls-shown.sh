#!/bin/sh
# What ls says of a session: the slug, when it was active, its tool; what a fork inherits; how many are left out.
export BOUGH_STORE="$PWD/a.db"
talk
echo "-- a fork shows what it inherits; an untitled session the first line of its first message"
bough fork 1 @2 >/dev/null
bough new -p /srv/lines >/dev/null
printf '\nOne line.\nAnother line.\n' | bough append 5 - >/dev/null
bough ls | cut -f 2,6,9
echo "-- a rename is no activity"
sleep 0.01
bough rename 1 "Renamed"
bough ls | cut -f 2 | tr '\n' ' '; echo
bough ls --sort updated | cut -f 2 | tr '\n' ' '; echo
echo "-- what failed, and what cost most"
bough append 3 --role tool --parts '[{"type":"tool_result","tool_use_id":"t9","content":"no","is_error":true}]' >/dev/null
bough ls --errors --kind all | cut -f 2
bough ls --errors --kind all --json | grep -o '"errors":.*,"last_state":"[a-z]*"'
bough ls --sort cost --kind all | cut -f 2,7
bough ls --model claude-sonnet-4-5 --kind all | cut -f 2 | tr '\n' ' '; echo
echo "-- on a terminal"
COLUMNS=100 on-terminal bough ls --no-pager | sed -E 's/[a-z]+-[a-z]+ +(just)/<words>  \1/; s/ +/ /g'
echo "-- what is not shown is counted, unless a program asked for so many"
bough config limit 2
{ bough ls --slugs --kind all >/dev/null; } 2>&1
{ bough ls -n 1 >/dev/null; } 2>&1
on-terminal bough ls -n 3 --no-pager | tail -n 1
bough config --unset limit
echo "-- tools"
mkdir files && cp "$DATA/pi/"*.jsonl "$DATA/codex/"*.jsonl files
bough import --yes files >/dev/null 2>&1
bough ls --tool pi --kind all | cut -f 16 | sort | uniq -c
bough ls --tool code --kind all | cut -f 16 | sort | uniq -c
bough ls --tool codex -n 1 2>&1 | cut -f 16
bough ls --tool claude; echo "exit $?"
bough ls --tool emacs; echo "exit $?"
bough ls --tool pi --json -n 1 | grep -o '"tool":"[a-z]*"'
