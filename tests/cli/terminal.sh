#!/bin/sh
# On a terminal: aligned columns, colours, relative times, Markdown; also narrow, without colours, without a locale.
export BOUGH_STORE="$PWD/a.db" PAGER=cat
talk
on() { on-terminal COLUMNS=80 "$@" | mask; }
echo "-- colours"
on bough ls
on bough tree '#1'
on bough show '#1' --last 2
echo "-- none of them"
on NO_COLOR=1 bough ls
on TERM=dumb bough ls
on bough ls --color never
bough ls --color always --slugs
on sh -c 'bough ls --color sometimes; echo "exit $?"'
echo "-- wide"
on NO_COLOR=1 COLUMNS=200 bough ls --wide --kind all
echo "-- narrow"
bough rename '#1' "日本語の題名 and a family 👨‍👩‍👧 with a flag 🇩🇪"
bough rename '#2' "plain ❤️ title that goes on and on and on"
for cols in 60 40 20; do on NO_COLOR=1 COLUMNS=$cols bough ls; done
on NO_COLOR=1 COLUMNS=40 bough tree '#1'
on NO_COLOR=1 COLUMNS=40 bough diff '#1.6' '#2.4'
on NO_COLOR=1 LC_ALL=C LANG= bough ls
echo "-- the other lists"
on NO_COLOR=1 bough cost
on NO_COLOR=1 bough cost --by session
on NO_COLOR=1 bough branch '#1'
on NO_COLOR=1 bough stats '#3'
on NO_COLOR=1 bough log -n 2
on NO_COLOR=1 bough context '#1' --report
on NO_COLOR=1 bough markers '#1'
on NO_COLOR=1 bough continue -p /srv/shop
on NO_COLOR=1 bough todo '#1' --add "look" --add "leap" --done 1
on NO_COLOR=1 bough head '#1'
echo "-- what was done is said"
on bough rename '#1' "Cache"
on bough label '#1' @1 start
on bough archive '#2'
on bough rm '#2'
on bough fork '#1' --title Again
on bough new "Fresh" --slug fresh
