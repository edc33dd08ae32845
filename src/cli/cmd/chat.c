/* bough chat: talk with a model in a session, on a terminal or with one prompt. */
#include <editline/readline.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/models.h"
#include "cli/kit/render.h"
#include "cli/term/print.h"
#include "core/part/view.h"

enum { LAST = 4, PARTS_MOST = 4096, WAIT_MS = 200 };

static volatile sig_atomic_t interrupted;

struct chat {
    struct cli *c;
    struct cli_runner work;
    const char *run; /* id, of the prompt that is being answered */
    const char *session;
    const char *model; /* of --model or /model; NULL: that of the session */
    bool colour;
};

static void on_interrupt(int sig)
{
    (void)sig;
    interrupted = 1;
}

/* While a reply comes, Ctrl-C stops it; at the prompt it ends the program. */
static void catch_interrupts(bool on)
{
    struct sigaction a = { .sa_handler = on ? on_interrupt : SIG_DFL };

    interrupted = 0;
    sigaction(SIGINT, &a, NULL);
}

/* ---- the reply while it comes ---- */

struct shown {
    size_t part[PARTS_MOST]; /* bytes of each part's text that were printed */
    size_t n;                /* parts begun */
    bool fresh;              /* nothing was printed yet */
    enum print_style style;
};

static void put_text(struct chat *k, struct shown *s, enum print_style style, struct bough_str text)
{
    if (!text.n)
        return;
    if (style != s->style) {
        if (!s->fresh)
            fputs("\n\n", stdout);
        print_style(stdout, k->colour, PRINT_PLAIN);
        print_style(stdout, k->colour, style);
        s->style = style;
    }
    s->fresh = false;
    print_safe(stdout, text, PRINT_TEXT);
    fflush(stdout);
}

/* The rest of a part: its text behind what was printed, or the name of a tool. */
static void put_part(struct chat *k, struct shown *s, size_t i, struct bough_arena *a,
                     const struct bough_part *part)
{
    struct part_view v;

    if (i >= PARTS_MOST)
        return;
    view_part(a, part, &v);
    if (v.kind == VIEW_TEXT || v.kind == VIEW_REASONING) {
        enum print_style style = v.kind == VIEW_REASONING ? PRINT_DIM : PRINT_PLAIN;

        if (v.text.n > s->part[i])
            put_text(k, s, style, str_make(v.text.p + s->part[i], v.text.n - s->part[i]));
        s->part[i] = v.text.n;
    } else if (!s->part[i]) {
        s->part[i] = 1;
        put_text(k, s, PRINT_CYAN, str_of(arena_printf(a, "[%s]", *v.tool ? v.tool : v.word)));
    }
}

static void put_parts(struct chat *k, struct shown *s, struct bough_arena *a,
                      const struct bough_part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_part(k, s, i, a, &parts[i]);
}

/* One dim line: the model, its tokens, what it cost, and how long it took. */
static void put_call(struct chat *k, const struct bough_call *call)
{
    print_style(stdout, k->colour, PRINT_DIM);
    print_line(stdout, call->model);
    printf(", %" PRId64 " + %" PRId64 " tokens, ", call->used.input, call->used.output);
    if (call->cost_source == BOUGH_COST_UNKNOWN)
        fputs("cost unknown", stdout);
    else
        printf("$%.6f", (double)call->used.cost / 1e9);
    printf(", %.1f s", (double)call->duration / 1000);
    print_style(stdout, k->colour, PRINT_PLAIN);
    putchar('\n');
}

static int put_end(struct chat *k, struct shown *s, const struct bough_entry *e)
{
    struct bough_call *call;

    print_style(stdout, k->colour, PRINT_PLAIN);
    if (!s->fresh)
        putchar('\n');
    if (e->error.n) {
        fputs("bough chat: ", stderr);
        print_safe(stderr, e->error, PRINT_LINE);
        fputc('\n', stderr);
        return CLI_FAILED;
    }
    if (k->c->out.tty && *e->call &&
        bough_call_get(k->c->s, k->c->a, e->call, &call, &k->c->err) == BOUGH_OK)
        put_call(k, call);
    return CLI_DONE;
}

/* Print the reply as it grows, until it is sealed. */
static int follow(struct chat *k, const char *reply)
{
    struct shown *s = arena_zalloc(k->c->a, sizeof *s);
    int64_t offset = 0;
    bool told = false;

    s->fresh = true;
    s->style = PRINT_PLAIN;
    for (;;) {
        struct bough_arena *a = bough_arena_create();
        struct bough_message_follow_result got;
        bool sealed;
        int rc = 0;

        if (interrupted && !told) {
            told = true; /* what came is kept */
            (void)!bough_run_cancel(k->c->s, a, k->run, NULL, NULL, &k->c->err);
        }
        if (bough_message_follow(k->c->s, a, reply, offset, WAIT_MS, &got, &k->c->err) ||
            (!got.sealed && got.ndeltas &&
             bough_message_follow(k->c->s, a, reply, -1, 0, &got, &k->c->err))) {
            bough_arena_destroy(a);
            return cli_failed(k->c);
        }
        sealed = got.sealed;
        if (sealed) {
            put_parts(k, s, a, got.entry->parts, got.entry->nparts);
            rc = put_end(k, s, got.entry);
        } else {
            put_parts(k, s, a, got.parts, got.nparts);
            offset = got.offset;
        }
        bough_arena_destroy(a);
        if (sealed)
            return rc;
    }
}

/* ---- a turn ---- */

static bool last_prompt(struct chat *k, const char **out)
{
    char *id = arena_alloc(k->c->a, BOUGH_ID_LEN + 1);

    *out = id;
    if (bough_latest_user_entry(k->c->s, k->session, id, &k->c->err))
        return false;
    if (!*id)
        (void)bough_fail(&k->c->err, BOUGH_NOT_FOUND, "there is no prompt yet");
    return *id != '\0';
}

/* Send a prompt; NULL answers the last one again. */
static int say(struct chat *k, const char *text)
{
    struct run_begin_options how = { .session = k->session,
                                     .text = text,
                                     .why = text ? BOUGH_RUN_START : BOUGH_RUN_RETRY,
                                     .model = k->model };
    struct run_begun begun;
    int rc;

    if (!text && !last_prompt(k, &how.at))
        return cli_failed(k->c);
    if (run_begin(k->work.runner, k->c->a, &how, &begun, &k->c->err))
        return cli_failed(k->c);
    k->run = begun.run->id;
    catch_interrupts(true);
    rc = follow(k, begun.reply);
    catch_interrupts(false);
    return rc;
}

/* ---- on a terminal ---- */

static void put_help(void)
{
    puts("/model MODEL   use this model from now on\n"
         "/retry         answer the last prompt again\n"
         "/quit          end (or Ctrl-D)\n"
         "Ctrl-C stops a reply; what came of it is kept.");
}

/* Lines that begin with "/" are commands. False: the end. */
static bool obey(struct chat *k, const char *line)
{
    if (strcmp(line, "/quit") == 0 || strcmp(line, "/exit") == 0)
        return false;
    if (strcmp(line, "/retry") == 0)
        (void)say(k, NULL);
    else if (strncmp(line, "/model ", 7) == 0)
        k->model = arena_strdup(k->c->a, line + 7);
    else
        put_help();
    return true;
}

/* The prompts of the session can be recalled with the arrow keys. */
static void load_history(struct chat *k)
{
    struct bough_entries_read_result path;
    struct bough_entries_read_options how = { .user = true, .newest = true, .limit = 100 };

    if (bough_entries_read(k->c->s, k->c->a, k->session, &how, &path, NULL))
        return;
    for (size_t i = 0; i < path.entries.n; i++)
        if (path.entries.at[i].nparts) {
            struct part_view v;

            view_part(k->c->a, &path.entries.at[i].parts[0], &v);
            if (v.text.n && !memchr(v.text.p, '\n', v.text.n) &&
                !memchr(v.text.p, '\033', v.text.n))
                add_history(arena_strndup(k->c->a, v.text.p, v.text.n));
        }
}

static void put_last(struct chat *k)
{
    struct bough_entries_read_options how = { .messages = true, .newest = true, .limit = LAST };
    struct render r = { .o = &k->c->out, .a = k->c->a };
    struct bough_entries_read_result path;

    if (bough_entries_read(k->c->s, k->c->a, k->session, &how, &path, NULL))
        return;
    for (size_t i = 0; i < path.entries.n; i++)
        render_entry(&r, &path.entries.at[i], NULL);
}

static int converse(struct chat *k, const struct bough_session *s)
{
    char *line;

    printf("#%" PRId64 " %s: ", s->number, s->slug);
    out_styled(&k->c->out, PRINT_BOLD, cli_title(k->c, s));
    puts("\n");
    put_last(k);
    load_history(k);
    puts("/help lists commands.");
    while ((line = readline("> "))) {
        bool more = true;

        if (*line == '/')
            more = obey(k, line);
        else if (line[strspn(line, " \t")]) {
            add_history(line);
            (void)say(k, line);
        }
        free(line);
        if (!more)
            break;
    }
    return CLI_DONE;
}

/* ---- the command ---- */

static int find_session(struct chat *k, struct bough_session **s)
{
    struct bough_session_create_options in = { .project = cli_here(k->c), .model_name = k->model };

    if (k->c->argc)
        return cli_session(k->c, k->c->argv[0], s);
    return bough_session_create(k->c->s, k->c->a, &in, s, &k->c->err) ? cli_failed(k->c) : CLI_DONE;
}

/* A new session in which nothing was said is not kept. */
static void drop_empty(struct chat *k)
{
    struct bough_session *s;

    if (!k->c->argc && !bough_session_get(k->c->s, k->c->a, k->session, &s, NULL) && !s->messages)
        (void)!bough_session_purge(k->c->s, k->c->a, k->session, NULL, NULL);
}

static int open_runner(struct chat *k)
{
    struct cli_runner_options how = { .store = k->c->s };

    return cli_runner_create(k->c, &how, &k->work, &k->c->err) ? cli_failed(k->c) : CLI_DONE;
}

static int run(struct cli *c)
{
    struct chat k = { .c = c, .model = cli_value(c, "model"), .colour = print_colour(stdout) };
    bool talks = !cli_has(c, "say") && isatty(STDIN_FILENO) && c->out.tty;
    struct bough_session *s;
    const char *text = NULL;
    int rc = talks ? CLI_DONE : cli_text(c, cli_has(c, "say") ? cli_value(c, "say") : "-", &text);

    if (!rc && text && !text[strspn(text, " \t\n")])
        return cli_usage(c, "the prompt is empty");
    if (!rc && !c->argc && cstr_empty(k.model))
        return cli_usage(c, "a new session needs a model: --model MODEL");
    if (!rc)
        rc = cli_open(c, CLI_CREATE);
    if (!rc)
        rc = open_runner(&k);
    if (!rc)
        rc = find_session(&k, &s);
    if (!rc) {
        k.session = s->id;
        rc = talks ? converse(&k, s) : say(&k, text);
        drop_empty(&k);
    }
    cli_runner_destroy(&k.work);
    return rc;
}

static const struct cli_option options[] = {
    { "model", 'm', "MODEL", "the model, or provider/model (default: that of the session)" },
    { "say", 's', "TEXT", "send this prompt, print the reply and end; - reads stdin" },
    { 0 },
};

const struct cli_cmd cmd_chat = {
    .name = "chat",
    .args = "[session]",
    .summary = "talk with a model, in a new session or in one that is there",
    .options = options,
    .run = run,
    .about = "Sends prompts to a provider of the configuration (see `bough providers`) with the "
             "session as context, and stores prompts and replies. On a terminal it reads prompts "
             "until Ctrl-D; Ctrl-C stops a reply, and what came of it is kept. Without a terminal "
             "it reads one prompt from stdin. The key of a provider is never printed or stored.",
    .examples = "bough chat -m claude-sonnet-4-5  # a new session\n"
                "bough chat . # go on with the latest one of this directory\n"
                "git diff | bough chat . --say -  # one prompt from a pipe",
};
