#!/bin/sh
# head, branch, fork, label, compact, continue, memory, todo, queue.
export BOUGH_STORE="$PWD/a.db"
talk
echo "-- head"
bough head '#1' | mask
bough head '#1' @2 | mask
bough head '#1' --none --json
bough head '#1' '#1.7' | mask
bough head '#1' @1 --none; echo "exit $?"
echo "-- branch"
bough branch '#1' @2 --summary "Not the cache." | mask
bough show '#1' --last 1 --no-header | mask
bough branch '#1' none && bough head '#1' --json
bough branch '#1' --summary x; echo "exit $?"
echo "-- fork"
bough fork '#1' '#1.3' --before --title Before --copy --json | mask | cut -c 1-120
bough show '#4' --no-header --messages | mask
echo "-- label"
bough label '#1' | mask
bough label '#1' cause
bough label '#1' cause why && bough label '#1' --json | mask
bough label '#1' why --clear; bough label '#1'; echo "exit $?"
echo "-- compact"
echo "Short." | bough compact '#4' - --before @1 | mask
bough compact '#4' x --before @1 --keep @1; echo "exit $?"
echo "-- continue"
bough continue 2>err; echo "exit $?"; mask <err
bough continue -p /srv/shop | mask
bough continue --any --json | mask | cut -c 1-60
bough continue -p /srv/shop "Going on." | mask
echo "-- memory"
bough memory; echo "exit $?"
bough memory --add " Tests run with make. " | mask
bough memory | mask
echo "Be brief." | bough memory --all --add - --json | mask
id=$(bough memory '#1' --add "Of this talk")
bough memory '#1' | mask
bough memory '#1' --forget "$id" && bough memory '#1'; echo "exit $?"
bough memory '#1' --forget "$id" 2>&1 | mask
bough memory '#1' --all; echo "exit $?"
echo "-- todo"
bough todo '#1' -a "write" -a "test" -p high -d 1 -s 2
bough todo '#1' --cancel 2 --reopen 1 --drop 2
echo '[{"content":"all new","status":"in_progress"}]' | bough todo '#1' --set - --json | mask
bough todo '#1' --done 7; echo "exit $?"
bough todo '#1' --clear
echo "-- queue"
bough queue '#1'; echo "exit $?"
one=$(bough queue '#1' "first") && two=$(bough queue '#1' "second" -m openai/gpt)
bough queue '#1' --promote "$two" && bough queue '#1' | mask
bough queue '#1' --edit "$one" "edited" && bough queue '#1' --take --json | mask
bough queue '#1' --take
bough queue '#1' --take; echo "exit $?"
bough queue '#1' --take --remove x; echo "exit $?"
