#!/bin/sh
# Finds the latest session of a directory; with a text, appends to it.
export BOUGH_STORE="$PWD/a.db"
talk
bough continue 2>err; echo "exit $?"; mask <err
one=$(bough new "Here") && two=$(bough new "Here, later")
[ "$(bough continue)" = "$two" ] && echo "the latest of this directory"
bough append "$one" "Busy again." >/dev/null
[ "$(bough continue)" = "$one" ] && echo "the latest updated"
[ "$(bough continue -p /srv/shop)" = "$(bough ls -p /srv/shop -n 1 | cut -f 1)" ] && echo "the latest of that one"
bough append '#1' "Later, elsewhere." >/dev/null
[ "$(bough continue --any)" = "$(bough ls -q why -n 1 | cut -f 1)" ] && echo "the latest of all"
bough continue -p /srv/shop --json | mask
echo "-- append"
bough continue "Going on." | mask
echo "From a pipe." | bough continue -p /srv/shop - | mask
bough show "$one" --last 1 --no-header | mask
bough show '#1' --last 1 --no-header | mask
echo "-- archived and deleted sessions are not continued"
bough archive "$one" && [ "$(bough continue)" = "$two" ] && echo "the other"
bough rm "$two" && bough continue 2>&1 | mask
echo "-- created if there is none and that is asked for"
new=$(bough continue --create)
[ "$(bough continue -c)" = "$new" ] && bough continue -c "First words." | mask
bough show "$new" --no-header | mask
[ "$(bough --store fresh.db continue --create "Hello." | mask)" = "<id>" ] && bough --store fresh.db ls | cut -f 9
echo "-- refused"
bough continue two words; echo "exit $?"
bough continue -p /nowhere "lost"; echo "exit $?"
bough --store none.db continue --any 2>&1 | mask
bough fsck
