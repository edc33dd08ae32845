#!/bin/sh
# Branches, labels, compactions, the head, forks and subagents, drawn.
export BOUGH_STORE="$PWD/a.db"
talk
bough tree '#1'
echo "-- a fork shows what it inherited"
bough tree '#2'
echo "-- everything"
bough tree '#1' --all
echo "-- json"
bough tree '#1' --json | mask
echo "-- branches"
bough branch '#1' | mask
bough branch '#1' --json | mask | head -n 1
bough fork '#1' --title "Nothing said yet" | mask
bough tree '#4'
