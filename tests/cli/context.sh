#!/bin/sh
# The messages a model would get: in three dialects, of an older entry, with a report of what is not verbatim.
export BOUGH_STORE="$PWD/a.db"
talk
bough context '#1' | mask
bough context '#1' --report | mask
bough context '#1' -d ui --at @2 | mask
bough context '#1' -d hygge | mask
bough context '#3' --json | mask
bough context '#1' --json | mask
bough context '#3' --report; echo "exit $?"
echo "-- the fork of a compacted session"
bough fork '#1' --title Forked >/dev/null && bough append '#4' "On." >/dev/null
bough context '#4' -d hygge | grep -o '"role"' | wc -l | tr -d ' '
bough context '#4' -d hygge --inherit --json | mask
echo "-- for providers"
bough memory '#1' --add "Prices are in cents." >/dev/null
for dialect in openai-chat openai-responses anthropic gemini; do
    bough context '#1' -d $dialect --trailing --memories --model m --json | mask
done
bough context '#1' -d anthropic --report | mask
echo "-- without messages"
bough new Empty -p '' >/dev/null && bough context '#5'; echo "exit $?"
echo "-- refused"
bough context; echo "exit $?"
bough context '#9'; echo "exit $?"
bough context '#1' -d klingon; echo "exit $?"
bough context '#1' --at @99; echo "exit $?"
bough context '#1' --at; echo "exit $?"
