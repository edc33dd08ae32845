#!/bin/sh
# What an external agent changed is shown and taken back; the scripted agent works.
export BOUGH_STORE="$PWD/a.db"
mkdir -p home/.config/bough work
here=$(cd "$(dirname "$0")/../.." && pwd)
command -v node >/dev/null || { echo "# SKIP Node is not installed"; exit 0; }
printf '[agent "fake"]\ncommand = node %s/tests/fakes/acp-agent.mjs\n' "$here" >home/.config/bough/config.ini
cd work || exit 1
git init -q . && echo one >a.txt && git add a.txt
git -c user.name=t -c user.email=t@example.org commit -qm first
echo "-- a run"
bough run --agent fake 'Write. [s:write]'; echo "exit $?"
cat a.txt made.txt
echo "-- its changes"
bough task diff . | grep '^[+-]'
bough task diff . a.txt | grep -c '^diff'
bough task diff . other.txt; echo "exit $?"
echo "-- one file is taken back, then the rest is refused"
bough task revert . made.txt; ls
bough task revert .; echo "exit $?"
echo "changed again" >a.txt
bough task revert . a.txt 2>&1 | sed 's/: error.*//'
cat a.txt
bough fsck >/dev/null && echo clean
