#!/bin/sh
# Places a session where another tool looks for it, and prints or runs the command that goes on with it.
export BOUGH_STORE="$PWD/a.db"
hide() { mask | sed -E 's/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/<uuid>/g; s/ses_[0-9a-zA-Z]+/<ses>/g; s/<day>T[0-9-]+Z?/<when>/g; s|[0-9]{4}/[0-9]{2}/[0-9]{2}/|<date>/|; s/before-[0-9]+/before-<ms>/; s/-(tmp|dev-shm)[-.A-Za-z0-9]*-resume-shop/<folder>/g'; }
mkdir shop
talk
bough rename 1 "Why is the cache stale?"
for tool in claude codex opencode pi; do
    bough resume 1 --in $tool -p shop | hide
done
find home/.claude home/.codex home/.cache home/.pi -type f | sort | hide
find home/.claude home/.codex home/.cache home/.pi -type f -perm /077
echo "-- the tool finds its own id in the file, and bough the whole session"
id=$(basename "$(find home/.claude -name '*.jsonl')" .jsonl)
grep -c "\"sessionId\":\"$id\"" home/.claude/projects/*/*.jsonl
for folder in .claude .codex .pi .cache; do
    bough --store "back$folder.db" import -q home/$folder
    bough --store "back$folder.db" ls --json | grep -o '"tool":"[a-z-]*"'
done
bough --store back.claude.db show "$id" | grep locale
echo "-- a file of the tool stays, unless it is forced, and is kept then"
bough resume 1 --in claude -p shop 2>&1 | hide
bough resume 1 --in claude -p shop --force 2>&1 | hide
echo "-- from an entry, with json"
bough resume 1 --in pi -p shop --at @2 --force --json 2>/dev/null | hide
grep -c '"type":"message"' home/.pi/agent/sessions/*/*.jsonl
echo "-- run"
mkdir bin
# shellcheck disable=SC2016  # for the script
printf '#!/bin/sh\necho "claude in $PWD: $*"\n' >bin/claude && chmod +x bin/claude
PATH="$PWD/bin:$PATH" bough resume 1 --in claude -p "shop" --run 2>/dev/null | hide
echo "-- the tool it came from, its own folder, the current directory"
bough import -q "$DATA/codex/tools.jsonl"
CODEX_HOME=$PWD/other bough resume 4 | hide
find other -type f | hide
echo "-- refused"
bough resume 1; echo "exit $?"
bough resume 1 --in emacs; echo "exit $?"
bough resume 9 --in pi; echo "exit $?"
bough new Empty >/dev/null
bough resume 5 --in claude; echo "exit $?"
echo "-- export lays files out in the same way"
bough export 1 2 --format claude-code --dir out | hide
bough export 1 --format codex --dir out | hide
bough export 1 --format codex --dir out 2>&1 | hide
find out -name '*.tmp' -o -name '.bough*'
