/* Shows a run while it works. */
#include "cli/runs/follow.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "api/kit/forms.h"
#include "api/kit/forms_run.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/runs/ask.h"
#include "cli/term/print.h"
#include "core/part/view.h"

enum { WAIT_MS = 100, PARTS_MOST = 4096, LINE_MOST = 160, CANCELLED = 130, PAGE = 200 };

static volatile sig_atomic_t interrupts;

/* The second one ends the program: the run is then recovered by the next process. */
static void on_interrupt(int sig)
{
    (void)sig;
    if (++interrupts > 1)
        _exit(CANCELLED);
}

static void catch_interrupts(bool on)
{
    struct sigaction a = { .sa_handler = on ? on_interrupt : SIG_DFL };

    if (on)
        interrupts = 0;
    sigaction(SIGINT, &a, NULL);
}

bool follow_approve_parse(const char *word, enum follow_approve *out)
{
    static const char *const words[] = { "ask", "allow", "deny" };

    for (int i = 0; i < 3; i++)
        if (strcmp(word ? word : "ask", words[i]) == 0) {
            *out = (enum follow_approve)i;
            return true;
        }
    return false;
}

struct follow {
    struct cli *c;
    const struct follow_options *how;
    const char *id, *session;
    struct bough_arena *a;       /* of one look */
    int64_t depth;               /* of the next entry to show */
    char open[BOUGH_ID_LEN + 1]; /* the message that is being shown */
    int64_t offset;
    size_t shown[PARTS_MOST]; /* bytes of each of its parts that were printed */
    bool fresh;               /* at the beginning of a line */
    bool told;                /* the wish to cancel is stored */
    int64_t settled;          /* approvals when the run was last taken */
};

/* ---- entries ---- */

static void end_line(struct follow *f)
{
    if (!f->fresh)
        putchar('\n');
    f->fresh = true;
}

static void put_text(struct follow *f, enum print_style style, struct bough_str text)
{
    if (!text.n)
        return;
    out_style(&f->c->out, style);
    print_safe(stdout, text, PRINT_TEXT);
    out_style(&f->c->out, PRINT_PLAIN);
    f->fresh = text.p[text.n - 1] == '\n';
    fflush(stdout);
}

/* What is new of a text. */
static void put_part(struct follow *f, size_t i, const struct bough_part *part)
{
    struct part_view v;

    if (i >= PARTS_MOST)
        return;
    view_part(f->a, part, &v);
    if ((v.kind != VIEW_TEXT && v.kind != VIEW_REASONING) || v.text.n <= f->shown[i])
        return;
    if (!f->shown[i])
        end_line(f);
    put_text(f, v.kind == VIEW_REASONING ? PRINT_DIM : PRINT_PLAIN,
             str_make(v.text.p + f->shown[i], v.text.n - f->shown[i]));
    f->shown[i] = v.text.n;
}

/* One line about a tool call: its name, its arguments, how it ended. */
static void put_tool(struct follow *f, const struct bough_part *part)
{
    struct part_view v;
    struct bough_str text;
    const char *line;

    view_part(f->a, part, &v);
    if (v.kind != VIEW_TOOL)
        return;
    end_line(f);
    line =
        arena_printf(f->a, "[%s] %.*s", v.tool, v.input.n > LINE_MOST ? LINE_MOST : (int)v.input.n,
                     v.input.p ? v.input.p : "");
    out_style(&f->c->out, PRINT_CYAN);
    print_line(stdout, line);
    out_style(&f->c->out, PRINT_PLAIN);
    text = view_output_text(f->a, v.output);
    line = arena_strndup(f->a, text.p, text.n > LINE_MOST ? LINE_MOST : text.n);
    fputs(v.failed ? "\n  failed: " : "\n  ", stdout);
    print_line(stdout, cli_first_line(f->c, line));
    putchar('\n');
    f->fresh = true;
    fflush(stdout);
}

static void put_json(struct follow *f, const struct bough_entry *e)
{
    form_entry(out_json(&f->c->out), e);
    out_json_end(&f->c->out);
    fflush(stdout);
}

static void put_entry(struct follow *f, const struct bough_entry *e)
{
    if (f->c->out.json) {
        put_json(f, e);
    } else if (e->role == BOUGH_ROLE_ASSISTANT) {
        for (size_t i = 0; i < e->nparts; i++)
            put_part(f, i, &e->parts[i]);
        end_line(f);
    } else if (e->role == BOUGH_ROLE_TOOL && e->nparts) {
        put_tool(f, &e->parts[0]);
    }
    memset(f->shown, 0, sizeof f->shown);
    f->open[0] = '\0';
    f->depth = e->at.depth + 1;
}

/* The text of an open message as it comes. */
static void put_open(struct follow *f, const struct bough_entry *e)
{
    struct bough_message_follow_result got;

    if (f->c->out.json || e->role != BOUGH_ROLE_ASSISTANT)
        return;
    if (strcmp(f->open, e->id) != 0) {
        memcpy(f->open, e->id, sizeof f->open);
        f->offset = 0;
    }
    if (bough_message_follow(f->c->s, f->a, e->id, -1, 0, &got, NULL) || got.sealed)
        return;
    for (size_t i = 0; i < got.nparts; i++)
        put_part(f, i, &got.parts[i]);
}

/* Show what is new, in order, up to the first open message. */
static bool put_new(struct follow *f, const struct bough_run *run)
{
    struct bough_entries_read_options how = { .limit = PAGE };
    struct bough_entries_read_result path;

    if (run->first.branch && !f->depth) /* a run without a prompt has no place at first */
        f->depth = run->first.depth + (*run->prompt != '\0');
    if (!run->last.branch || run->last.depth < f->depth)
        return true;
    how.from_depth = f->depth;
    how.at =
        arena_printf(f->a, "#%lld.%lld", (long long)run->last.branch, (long long)run->last.depth);
    if (bough_entries_read(f->c->s, f->a, f->session, &how, &path, &f->c->err))
        return false;
    for (size_t i = 0; i < path.entries.n; i++) {
        if (path.entries.at[i].open) {
            put_open(f, &path.entries.at[i]);
            break;
        }
        put_entry(f, &path.entries.at[i]);
    }
    return true;
}

/* ---- questions ---- */

static bool can_ask(const struct follow *f)
{
    return f->c->out.tty && isatty(STDIN_FILENO) && !f->c->out.json;
}

/* What to settle it with. False: nothing yet. */
static bool decide(struct follow *f, const struct bough_approval *p,
                   struct bough_approval_resolve_options *out)
{
    *out = (struct bough_approval_resolve_options){ .status = BOUGH_APPROVAL_APPROVED };
    if (f->how->approve == FOLLOW_ALLOW)
        return true;
    if (f->how->approve == FOLLOW_ASK && can_ask(f)) {
        end_line(f);
        if (ask_person(f->c, p, out))
            return true;
        clearerr(stdin);
        *out = (struct bough_approval_resolve_options){ .status = BOUGH_APPROVAL_REJECTED,
                                                        .stop = true };
        return !interrupts; /* Ctrl-C cancels the run; the end of the input stops it */
    }
    out->status = BOUGH_APPROVAL_REJECTED;
    out->note = f->how->approve == FOLLOW_DENY ? "Tools that need approval are denied here."
                                               : "Nobody is here to approve it.";
    fprintf(stderr, "bough: rejected %s: %s\n", p->tool,
            f->how->approve == FOLLOW_DENY ? "--approve deny"
                                           : "there is no terminal to ask on, see --approve");
    return true;
}

static void settle(struct follow *f, const struct bough_approval *p)
{
    struct bough_approval_resolve_options how;
    struct bough_error err = { 0 };

    if (!decide(f, p, &how))
        return;
    if (bough_approval_resolve(f->c->s, f->a, p->id, &how, NULL, &err))
        fprintf(stderr, "bough: %s\n", err.msg); /* another one was faster */
}

static void settle_all(struct follow *f)
{
    struct bough_approval_list_options which = { .run = f->id, .status = "pending" };
    struct bough_approvals asked;

    if (bough_approval_list(f->c->s, f->a, &which, &asked, NULL))
        return;
    for (size_t i = asked.n; i-- > 0;) {
        if (f->c->out.json) {
            form_approval(out_json(&f->c->out), &asked.at[i]);
            out_json_end(&f->c->out);
        }
        settle(f, &asked.at[i]);
    }
}

/* ---- the end ---- */

static int put_end(struct follow *f, const struct bough_run *run)
{
    end_line(f);
    if (f->c->out.json) {
        form_run(out_json(&f->c->out), run);
        out_json_end(&f->c->out);
    }
    switch (run->status) {
    case BOUGH_RUN_COMPLETED:
        return CLI_DONE;
    case BOUGH_RUN_CANCELLED:
        fputs("bough: the run was cancelled\n", stderr);
        return CANCELLED;
    case BOUGH_RUN_FAILED:
        fprintf(stderr, "bough: the run failed (%s): ", run->error_code);
        print_line(stderr, run->error);
        fputc('\n', stderr);
        break;
    case BOUGH_RUN_QUEUED:
    case BOUGH_RUN_RUNNING:
    case BOUGH_RUN_AWAITING_APPROVAL:
        break;
    }
    return CLI_FAILED;
}

static void cancel(struct follow *f)
{
    if (!interrupts || f->told)
        return;
    f->told = true;
    (void)!bough_run_cancel(f->c->s, f->a, f->id, NULL, NULL, NULL);
}

/* One look. True: the run has ended, *code is what the program returns. */
static bool look(struct follow *f, struct bough_mark *mark, int *code)
{
    struct bough_feed_next_result changes;
    struct bough_run *run;

    cancel(f);
    if (bough_run_get(f->c->s, f->a, f->id, &run, &f->c->err) || !put_new(f, run)) {
        *code = cli_failed(f->c);
        return true;
    }
    if (bough_run_ended(run->status)) {
        *code = put_end(f, run);
        return true;
    }
    if (run->status == BOUGH_RUN_AWAITING_APPROVAL)
        settle_all(f);
    if (f->how->runner && (run->status != BOUGH_RUN_RUNNING))
        (void)runner_take(f->how->runner, f->id);
    if (!bough_feed_next(f->c->s, f->a, *mark, 0, WAIT_MS, &changes, NULL))
        *mark = changes.next;
    return false;
}

int follow_run(struct cli *c, const char *id, const struct follow_options *how)
{
    struct follow *f = arena_zalloc(c->a, sizeof *f);
    struct bough_mark mark = { 0 };
    struct bough_run *run;
    bool ended = false;
    int code = CLI_DONE;

    if (bough_run_get(c->s, c->a, id, &run, &c->err) || bough_feed_end(c->s, &mark, &c->err))
        return cli_failed(c);
    *f = (struct follow){
        .c = c, .how = how, .id = run->id, .session = run->session, .fresh = true
    };
    catch_interrupts(true);
    while (!ended) {
        f->a = bough_arena_create();
        ended = look(f, &mark, &code);
        bough_arena_destroy(f->a);
    }
    catch_interrupts(false);
    return code;
}
