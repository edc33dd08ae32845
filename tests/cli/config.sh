#!/bin/sh
# Prints settings with their origin, sets and removes one; comments and other sections of the file stay.
bough --store a.db new "First talk" >/dev/null && bough --store a.db new "Second talk" >/dev/null
bough config
bough config --path | mask
bough config store "$PWD/a.db" && bough config limit 1
bough ls | cut -f 2
bough config limit
mask <home/.config/bough/config.ini
echo "-- what is not a setting stays"
printf '# mine\n\npager = more\n[other]\nx = 1\n' >home/.config/bough/config.ini
bough config pager cat && bough config color never
cat home/.config/bough/config.ini
echo "-- the environment overrides the file"
BOUGH_PAGER=most bough config | cut -f 1-3
bough config --json
bough config --unset pager && bough config pager; echo "exit $?"
XDG_CONFIG_HOME="$PWD/xdg" bough config limit 7; cat xdg/bough/config.ini
bough config store 'postgres://me:secret@db.example/x' && bough config | grep ^store | cut -f 1-3
echo "-- sections of providers stay as they are"
printf '[provider "a"]\nkind = openai\n  \n[gateway]\ndefault = a\n' >home/.config/bough/config.ini
bough config gateway.default; bough config gateway.discover yes; bough config gateway.default b; cat home/.config/bough/config.ini
echo "-- refused"
bough config nothing; echo "exit $?"
bough config --unset nothing; echo "exit $?"
bough config --unset; echo "exit $?"
bough config --unset color never; echo "exit $?"
bough config color "$(printf 'a\nb')"; echo "exit $?"
bough config color never ever; echo "exit $?"
echo "what is this" >home/.config/bough/config.ini
bough config pager 2>&1 | mask
bough --store a.db ls --slugs 2>&1 | mask
