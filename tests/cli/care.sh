#!/bin/sh
# doctor, backup, restore-backup, config, completion.
export BOUGH_STORE="$PWD/a.db"
hide() { mask | sed -E 's/[0-9]+ MB are left/N MB are left/; s/bough [0-9.]+ with SQLite [0-9.]+/bough N with SQLite N/; s/[0-9]+ KB/N KB/; s/[0-9]{8}T[0-9]{6}Z/<when>/'; }
echo "-- doctor"
bough doctor | hide
bough --store memory: doctor --json | tail -n 1
talk
bough doctor >out; echo "exit $?"; hide <out
chmod 644 a.db; bough doctor | grep -A 1 '^note' | hide; chmod 600 a.db
echo "not a store" >b.db; chmod 600 b.db
bough --store b.db doctor >out; echo "exit $?"; grep -A 1 '^wrong' out | hide
ln -s a.db link.db; bough --store link.db doctor | grep -A 1 '^wrong'
bough --store . doctor | grep -A 1 '^wrong'
echo "-- backup"
bough backup copy.db | sed -E 's/[0-9]+ bytes/N bytes/'
bough backup copy.db; echo "exit $?"
bough --store copy.db ls | cut -f 2,9
bough append '#1' "after the backup" >/dev/null
bough restore-backup copy.db; echo "exit $?"
bough restore-backup copy.db --yes | hide
bough stats | grep ^messages
bough restore-backup nowhere.db --yes 2>&1 | hide
echo "-- a store of an older bough is brought up to date by the first command"
cp a.db old.db; printf '\0\0\0\5' | dd of=old.db bs=1 seek=60 conv=notrunc 2>/dev/null
bough --store old.db ls | cut -f 2
bough --store old.db fsck | tail -n 1
echo "-- config"
unset BOUGH_STORE
bough config | cut -f 1-3
bough config store "$PWD/a.db" && bough config limit 1
bough ls | cut -f 2
bough config limit
mask <home/.config/bough/config.ini
printf '# mine\n\npager = more\n[other]\nx = 1\n' >home/.config/bough/config.ini
bough config pager cat && bough config color never && bough config --unset nothing; echo "exit $?"
cat home/.config/bough/config.ini
BOUGH_PAGER=most bough config | cut -f 1-3
bough config --json
bough config --unset pager && bough config pager; echo "exit $?"
bough config color "$(printf 'a\nb')"; echo "exit $?"
echo "what is this" >home/.config/bough/config.ini
bough config pager 2>&1 | mask
bough --store a.db ls --slugs 2>&1 | mask
rm home/.config/bough/config.ini
bough config --path | mask
echo "-- completion"
bough completion tcsh; echo "exit $?"
for shell in bash zsh fish; do
    bough completion $shell >script
    for name in $(bough help --names); do grep -q -- "$name" script || echo "$shell does not know $name"; done
    grep -c include-subagents script
done
bough completion bash >script
BOUGH_STORE="$PWD/a.db" bash -c '
    source ./script
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _bough; echo "${COMPREPLY[*]}"; }
    try bough sh
    try bough show why
    try bough --store x ls --inc
    try bough help co
    try bough --no' 2>&1
