#!/bin/sh
# Prompts that wait for a session: queue, list, edit, reorder, remove, and take each of them once.
export BOUGH_STORE="$PWD/a.db"
talk
bough queue '#1'; echo "exit $?"
one=$(bough queue '#1' "first") && two=$(bough queue '#1' "second" -m openai/gpt)
echo "from a pipe" | bough queue '#1' - --json | mask
bough queue '#1' | mask
bough queue '#2'; echo "exit $?"
bough queue '#1' --promote "$two" && bough queue '#1' | mask
bough queue '#1' --edit "$one" "edited" && bough queue '#1' --edit "$one" "edited again" --json | mask
bough queue '#1' --json | mask
echo "-- take"
bough queue '#1' --take --json | mask
bough queue '#1' --take
bough queue '#1' --remove "$(bough queue '#1' | cut -f 1)"; echo "exit $?"
bough queue '#1' --take; echo "exit $?"
echo "-- refused"
bough queue; echo "exit $?"
bough queue '#9' x; echo "exit $?"
bough queue '#1' --remove "$one" 2>&1 | mask
bough queue '#1' --promote nothing; echo "exit $?"
bough queue '#1' --edit "$one" 2>&1 | mask
bough queue '#1' --take --remove x; echo "exit $?"
bough queue '#1' ""; echo "exit $?"
bough stats | grep ^messages # a queued prompt is no message
bough fsck
