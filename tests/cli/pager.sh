#!/bin/sh
# A pager is used on a terminal only, chosen by option, environment or settings; quitting it early is not a failure.
export BOUGH_STORE="$PWD/a.db"
talk
# shellcheck disable=SC2016  # the script's own
printf '#!/bin/sh\necho "pager $1"; head -n 2; cat >/dev/null\n' >page && chmod +x page
on() { on-terminal NO_COLOR=1 "$@" | cut -c 1-30; }
on PAGER="./page PAGER" bough tree '#1'
on PAGER="./page PAGER" BOUGH_PAGER="./page BOUGH_PAGER" bough tree '#1'
bough config pager "./page setting"
on PAGER="./page PAGER" bough tree '#1'
on PAGER="./page PAGER" bough tree '#1' --no-pager | head -n 1
on BOUGH_PAGER=cat bough tree '#1' | head -n 1
on bough tree '#1' --json | head -n 1
bough tree '#1' | head -n 1
bough config pager "head -n 1"
on sh -c "bough show '#1'; echo exit \$?"
bough config pager /does/not/exist
on-terminal bough tree '#1' | grep -c 'not found'
bough config --unset pager
# shellcheck disable=SC2016  # the script's own
mkdir bin && printf '#!/bin/sh\necho "less $LESS"; head -n 1; cat >/dev/null\n' >bin/less && chmod +x bin/less
on PATH="$PWD/bin:$PATH" bough tree '#1'
on PATH="$(dirname "$BOUGH")" "$BOUGH" tree '#1' | head -n 1 # no less there
# A session longer than the pager wants to see.
i=0
while [ $i -lt 3000 ]; do
    echo '{"role":"user","text":"line"}'
    i=$((i + 1))
done | bough append '#3' --jsonl >/dev/null
on PAGER="head -n 1" bough show '#3'
bough show '#3' | head -n 1
bough show '#3' --no-header --messages | grep -c '^user'
