/* Asks a person about a tool call. */
#include "cli/runs/ask.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/term/print.h"
#include "core/part/view.h"

enum { LINE_MOST = 4096, ARGS_MOST = 400 };

/* The arguments of the call, from the sealed message. */
static struct bough_str args_of(struct cli *c, const struct bough_approval *p)
{
    struct bough_entry *e;
    struct part_view v;

    if (bough_entry_get(c->s, c->a, p->session, p->entry, &e, NULL) || p->part < 0 ||
        (size_t)p->part >= e->nparts)
        return str_of("");
    view_part(c->a, &e->parts[p->part], &v);
    return v.input;
}

void ask_show(struct cli *c, const struct bough_approval *p, bool whole)
{
    struct bough_str args = args_of(c, p);
    bool cut = !whole && args.n > ARGS_MOST;

    out_styled(&c->out, PRINT_YELLOW, p->tool);
    putchar(' ');
    print_safe(stdout, cut ? str_make(args.p, ARGS_MOST) : args, PRINT_TEXT);
    fputs(cut ? "... (v shows all)\n" : "\n", stdout);
}

static void put_question(struct cli *c)
{
    out_styled(&c->out, PRINT_BOLD,
               "Run it? y yes, s in this session, a always, n [reason] no, v view, q stop: ");
    fflush(stdout);
}

/* False: it was no answer, or a wish to see more. */
static bool read_answer(struct cli *c, const struct bough_approval *p, const char *line,
                        struct bough_approval_resolve_options *out)
{
    const char *rest = *line ? line + 1 : line;

    rest += strspn(rest, " \t");
    *out = (struct bough_approval_resolve_options){ .status = BOUGH_APPROVAL_APPROVED };
    switch (*line) {
    case 'y':
        return true;
    case 's':
        out->scope = BOUGH_SCOPE_SESSION;
        return true;
    case 'a':
        out->scope = BOUGH_SCOPE_ALWAYS;
        return true;
    case 'n':
    case 'q':
        out->status = BOUGH_APPROVAL_REJECTED;
        out->note = arena_strdup(c->a, rest);
        out->stop = *line == 'q';
        return true;
    case 'v':
        ask_show(c, p, true);
        return false;
    }
    return false;
}

bool ask_person(struct cli *c, const struct bough_approval *p,
                struct bough_approval_resolve_options *out)
{
    char line[LINE_MOST];

    ask_show(c, p, false);
    do {
        put_question(c);
        if (!fgets(line, sizeof line, stdin))
            return false;
        line[strcspn(line, "\r\n")] = '\0';
    } while (!read_answer(c, p, line, out));
    return true;
}
