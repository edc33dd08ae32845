#!/bin/sh
# Names a session by id, slug, number, id prefix, or "."; an ambiguous prefix is refused with candidates.
export BOUGH_STORE="$PWD/a.db"
title() { bough show "$1" | head -n 1; }
id=$(bough new "First talk")
other=$(bough new "Other talk" -p /srv/other)
title "$id"
title "$other"
title first-talk
title other-talk
title '#1'
title '#2'
title 1
title 2
title .
# The first ten characters are the time in milliseconds, the first eight in seconds.
title "$(echo "$id" | cut -c 1-24)"
title "$(echo "$id" | cut -c 1-24 | tr '[:upper:]' '[:lower:]')"
# Two sessions of the same second share eight characters; the second may end between them, so try again.
for _ in $(seq 20); do
    one=$(bough new "One" | cut -c 1-8)
    two=$(bough new "Two" | cut -c 1-8)
    [ "$one" = "$two" ] && break
done
bough show "$one" >out 2>&1
echo "exit $?"
sed -E "s/$one:/PREFIX:/" out | mask | sed -E 's/(<id>, <id>).*/\1 .../'
bough show 01; echo "exit $?"
bough show '#99'; echo "exit $?"
bough show ''; echo "exit $?"
bough append first-talk a >/dev/null && bough append first-talk b >/dev/null
bough label first-talk @1 same && bough label first-talk @2 same
bough show first-talk same 2>&1 | mask
