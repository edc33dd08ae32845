#!/bin/sh
# No command lets text of a transcript reach the terminal as a control sequence.
export BOUGH_STORE="$PWD/a.db" PAGER=cat
evil=$(printf 'a\033[2J\033]0;owned\007b\302\2332Jc\342\200\256d\177e\rf\bg')
bough new "T $evil" -p "/p $evil" --slug s -m "m $evil" >/dev/null
bough append s "U $evil" >/dev/null
# shellcheck disable=SC2016  # backticks of Markdown
printf '[{"type":"text","text":"# H %s\\n\\n`\\u001b[31m` [l](x\\u001b[1m)"},{"type":"tool_use","id":"x","name":"n\\u001b[31m","input":{"path":"\\u001b[5m\\u009b"}},{"type":"reasoning","text":"R \\u001b[31m"}]' 'x' |
    bough append s --role assistant --parts - >/dev/null
printf '[{"type":"tool_result","tool_use_id":"x","content":"out \\u001b[31m\\r\\nnext \\u009b"}]' | bough append s --role tool --parts - >/dev/null
bough label s @1 "L $evil"
bough compact s "C $evil" >/dev/null
bough todo s --add "D $evil" >/dev/null
bough memory s --add "M $evil" >/dev/null
bough queue s "Q $evil" >/dev/null
bough fork s --title "F $evil" >/dev/null
for cmd in "ls" "ls --wide" "ls --json" "show s" "show s --full" "show s --parts" "show s --json" "tree s" "tree s --json" \
    "diff s #1.1" "log" "context s" "context s --json" "context s --report" "markers s" "branch s" "label s" "label s @1" \
    "todo s" "memory s" "queue s" "queue s --take" "continue --any" "cost" "stats s" "head s" "doctor" "show nix$evil" \
    "export s --format markdown" "export s --format pi" "export s --format bough" "export s --format html" "export s --format ai-sdk"; do
    # shellcheck disable=SC2086  # words
    on-terminal NO_COLOR=1 COLUMNS=200 bough $cmd >out
    # The output must be printable: newlines and tabs are the only control characters.
    if LC_ALL=C tr -d '\n\t\040-\176\200-\377' <out | grep -q . || grep -q '\^\[' out ||
        grep -qP '\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xaa-\xae]' out; then
        echo "$cmd lets something through:"
        cat -v out
    else
        # Spelled out, or nothing of it belongs there.
        printf '%s: safe, %s of it shown\n' "$(echo "$cmd" | tr -cd ' -~')" \
            "$(grep -qE '\\x1b|\\u001b|\\u\{9b\}|\\u009b' out && echo some || echo none)"
    fi
done
bough show s --no-header | sed -n 2p
on-terminal COLUMNS=100 NO_COLOR=1 bough show s --no-header | sed -n '/^assistant/,/^tool/p' | mask
