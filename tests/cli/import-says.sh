#!/bin/sh
# What an import says: sums by tool, problems at the end, nothing with -q; a dry run asks and creates nothing.
mkdir files && cp "$DATA/pi/multiturn.jsonl" "$DATA/codex/tools.jsonl" files
printf '{"torn\n' >>files/multiturn.jsonl
echo "-- a dry run"
mkdir -p home/.pi/agent/sessions && cp "$DATA/pi/v2.jsonl" home/.pi/agent/sessions
bough import --dry-run 2>&1 | mask; bough import -n files | mask
find home/.local 2>/dev/null
echo "-- two tools"
bough import files | mask
echo "-- quiet"
bough import -q files; echo "exit $?"
echo broken >files/broken.jsonl
bough import -q files/broken.jsonl 2>&1 | mask
echo "-- on a terminal: sums, and problems once"
rm -rf home/.local
on-terminal NO_COLOR=1 bough import files | mask
echo "-- many problems"
i=0
while [ $i -lt 30 ]; do echo "{\"torn$i"; i=$((i + 1)); done >>files/multiturn.jsonl
bough import files/multiturn.jsonl | mask | tail -n 3
