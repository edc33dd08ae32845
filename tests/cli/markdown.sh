#!/bin/sh
# Markdown is rendered on a terminal, and only there.
export BOUGH_STORE="$PWD/a.db" PAGER=cat
bough new Talk >/dev/null
bough append '#1' --role assistant - >/dev/null <<'END'
# The *plan*

Some **bold**, some `code`, a [link](https://example.org/a), ~~old~~ and <https://example.org>.
This paragraph is long enough to be wrapped somewhere, because nobody likes lines that go on for ever.

1. first
2. second
   - inner, which is also long enough to be wrapped at the right place, under its own text
3. [ ] not a task

- [x] done
- [ ] open

> quoted text that is long enough to be wrapped in its quote, with the mark in front of each line
>
> > deeper

```c
int main(void) { return 0; } /* a line of code is never wrapped, however long it may become over time */
```

| name | 幅 | n |
|------|----|--:|
| a    | 日本 | 1 |
| long name | x | 22 |

***

<b>html</b> &lt;tag&gt; &#27;[31m &amp; line  
break
END
on-terminal COLUMNS=60 bough show '#1' --no-header | mask
on-terminal COLUMNS=60 NO_COLOR=1 bough show '#1' --no-header | mask
on-terminal COLUMNS=60 NO_COLOR=1 bough show '#1' --no-header --raw | mask | head -n 4
bough show '#1' --no-header | mask | sed -n 2,4p
