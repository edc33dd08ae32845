#!/bin/sh
# Every command is listed once, in order, and has a help page with a summary.
bough help --names >names
LC_ALL=C sort -cu names && echo sorted
grep -xE 'help|version' names
while read -r name; do
    bough help "$name" >page || echo "$name has no help page"
    head -n 1 page | grep -qE "^bough $name: [a-z].*[^.]\$" || echo "$name: summary: $(head -n 1 page)"
done <names
