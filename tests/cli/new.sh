#!/bin/sh
# Creates sessions, and the store and its folder with the first one: title, slug, project, model, system prompt, parent.
export BOUGH_STORE="$PWD/a.db"
hide() { mask | sed -E 's/(first-talk-)[0-9a-z]{5}/\1<random>/; s/"slug":"[a-z]+-[a-z]+"/"slug":"<two words>"/'; }
bough new "First talk" | mask
bough --store deep/b.db new | mask
stat -c '%a %n' a.db deep deep/b.db
bough new "First talk" -p /srv/shop -m openai/gpt | mask
echo "Be brief." | bough new --slug brief --system - | mask
bough new "Helper" --id helper-7 --parent '#1' --tool-use t1 | mask
bough ls --kind all | cut -f 2,3,8- | hide
echo "-- the system prompt, and a session by the id that the caller gave"
bough show brief | grep ^system
bough show helper-7 | head -n 1
echo "-- json"
bough new -m gpt -p '' --json | hide
bough new "Helper" --slug helped --id helper-8 --system "Help." --parent '#2' --tool-use t2 --json | mask
echo "-- refused"
bough new --slug brief; echo "exit $?"
bough new --slug 'Not a slug'; echo "exit $?"
bough new --id helper-7; echo "exit $?"
bough new --parent '#99'; echo "exit $?"
bough new two words; echo "exit $?"
bough fsck
