#!/bin/sh
# Checks the installation and the store, changes nothing, and advises; the exit code is 1 if something is wrong.
export BOUGH_STORE="$PWD/a.db"
hide() { mask | sed -E 's/[0-9]+ MB are left/N MB are left/; s/bough [0-9.]+ with SQLite [0-9.]+/bough N with SQLite N/; s/[0-9]+ KB/N KB/'; }
bough doctor | hide
ls a.db 2>/dev/null
bough --store memory: doctor --json | tail -n 1
talk
bough doctor >out; echo "exit $?"; hide <out
bough doctor --json | hide
echo "-- a note"
chmod 640 a.db; bough doctor >out; echo "exit $?"; grep -A 1 '^note' out | hide; chmod 600 a.db
echo "-- wrong"
echo "not a store" >b.db; chmod 600 b.db
bough --store b.db doctor >out; echo "exit $?"; grep -A 1 '^wrong' out | hide
ln -s a.db link.db; bough --store link.db doctor | grep -A 1 '^wrong'
bough --store . doctor | grep -A 1 '^wrong'
mkdir -p home/.config/bough && echo "what is this" >home/.config/bough/config.ini
env -u BOUGH_STORE bough --store a.db doctor 2>/dev/null | grep -A 1 '^wrong' | hide
rm home/.config/bough/config.ini
bough backup copy.db >/dev/null && head -c 20000 copy.db >half.db && chmod 600 half.db
bough --store half.db doctor >out; echo "exit $?"; grep -A 1 '^wrong' out | hide
echo "-- refused"
bough doctor now; echo "exit $?"
