/* Reads the script of the demo. A line that begins with @ is a command; the lines behind it are its
 * text, up to the next command. \e stands for the escape character. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/demo/build.h"

extern const char demo_sessions[]; /* sessions.txt, made by scripts/embed */

/* Where the text behind the last command goes. */
enum target { TO_NOTHING, TO_TEXT, TO_THOUGHT, TO_TOOL, TO_SUMMARY, TO_LABEL };

struct script {
    struct demo *d;
    const char *rest; /* not read yet */
    enum target to;
    struct buf text;
    /* Of the last @tool. */
    const char *tool, *input;
    struct demo_result result;
    int64_t lines; /* of generated output; 0: none */
    int64_t tokens_before;
    const char *label;
};

/* ---- values ---- */

/* The number behind "name=" in the arguments, or `otherwise`. */
static int64_t number(const char *args, const char *name, int64_t otherwise)
{
    size_t n = strlen(name);

    for (const char *p = args; (p = strstr(p, name)); p += n)
        if ((p == args || p[-1] == ' ') && p[n] == '=')
            return strtoll(p + n + 1, NULL, 10);
    return otherwise;
}

/* "4m", "3h", "9d" in milliseconds. */
static int64_t age_of(const char *text)
{
    char *unit;
    int64_t n = strtoll(text, &unit, 10);

    return n * (*unit == 'd' ? 86400000 : *unit == 'h' ? 3600000 : 60000);
}

/* USD per million tokens: input, output, cache read. */
static void price(const char *model, struct bough_totals *used)
{
    static const struct {
        const char *model;
        int64_t input, output, read; /* nano-USD per token */
    } prices[] = {
        { "opus", 5000, 25000, 500 },     { "sonnet", 3000, 15000, 300 },
        { "haiku", 1000, 5000, 100 },     { "gpt-5", 1250, 10000, 125 },
        { "gemini-3", 2000, 12000, 200 },
    };

    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++)
        if (strstr(model, prices[i].model))
            used->cost = used->input * prices[i].input + used->output * prices[i].output +
                         used->cache_read * prices[i].read;
}

/* Take the first word off the arguments. */
static const char *word(struct demo *d, const char **args)
{
    size_t n = strcspn(*args, " ");
    const char *w = arena_strndup(d->a, *args, n);

    *args += n;
    *args += strspn(*args, " ");
    return w;
}

/* ---- the text behind a command ---- */

static void put_escapes(struct buf *b, const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (line[i] == '\\' && i + 1 < n && line[i + 1] == 'e') {
            buf_putc(b, '\x1b');
            i++;
        } else {
            buf_putc(b, line[i]);
        }
    }
}

/* The text without the blank lines around it. */
static const char *taken(struct script *x)
{
    const char *p = x->text.n ? x->text.p : "";
    size_t n = x->text.n;

    while (n && (p[n - 1] == '\n' || p[n - 1] == ' '))
        n--;
    while (n && *p == '\n') {
        p++;
        n--;
    }
    return arena_strndup(x->d->a, p, n);
}

/* What a build prints: enough lines to be folded. */
static const char *chatter(struct script *x)
{
    static const char *const files[] = { "net", "pool", "parse", "http", "store", "index", "tls" };
    struct buf b;
    const char *out;

    buf_init(&b, 1 << 20);
    for (int64_t i = 0; i < x->lines; i++)
        buf_printf(&b, "cc -O2 -g -Wall -Iinclude -c src/%s_%lld.c -o build/%s_%lld.o\n",
                   files[i % 7], (long long)i, files[i % 7], (long long)i);
    buf_puts(&b, "src/net.c:88:9: \x1b[33mwarning:\x1b[0m unused variable 'n'\n");
    out = arena_strndup(x->d->a, b.p, b.n);
    buf_finish(&b);
    return out;
}

static void end_tool(struct script *x, const char *text)
{
    static const char split[] = "--stderr--";
    const char *errors = strstr(text, split);

    x->result.out = x->lines ? chatter(x) : text;
    x->result.errors = "";
    if (errors) {
        size_t n = (size_t)(errors - text);

        x->result.out = arena_strndup(x->d->a, text, n && text[n - 1] == '\n' ? n - 1 : n);
        x->result.errors = errors + sizeof split;
    }
    demo_tool(x->d, x->tool, x->input, &x->result);
}

static void end_text(struct script *x)
{
    const char *text = taken(x);
    enum target to = x->to;

    x->to = TO_NOTHING;
    buf_reset(&x->text);
    switch (to) {
    case TO_TEXT:
        demo_text(x->d, text);
        break;
    case TO_THOUGHT:
        demo_thought(x->d, text);
        break;
    case TO_TOOL:
        end_tool(x, text);
        break;
    case TO_SUMMARY:
        demo_compact(x->d, text, x->tokens_before);
        break;
    case TO_LABEL:
    case TO_NOTHING:
        break;
    }
}

/* ---- commands: each gets its arguments ---- */

static struct demo_frame *top(struct script *x)
{
    return x->d->top;
}

/* Count the entries up to the next session, so that times can be given backwards from its age. */
static int64_t entries_ahead(const char *p)
{
    static const char *const counted[] = { "@user", "@assistant", "@compact" };
    int64_t n = 0;

    for (; *p && strncmp(p, "@session", 8) != 0 && strncmp(p, "@short", 6) != 0;
         p += strcspn(p, "\n"), p += *p == '\n')
        for (size_t i = 0; i < 3; i++)
            n += strncmp(p, counted[i], strlen(counted[i])) == 0;
    return n;
}

static int64_t age_ahead(const char *p)
{
    const char *age = strstr(p, "\n@age "), *next = strstr(p, "\n@session ");

    return age && (!next || age < next) ? age_of(age + 6) : 0;
}

static void on_session(struct script *x, const char *args)
{
    demo_begin(x->d, args, age_ahead(x->rest - 1), entries_ahead(x->rest));
}

static void on_slug(struct script *x, const char *args)
{
    top(x)->slug = args;
}

static void on_project(struct script *x, const char *args)
{
    top(x)->project = args;
}

static void on_account(struct script *x, const char *args)
{
    top(x)->account = args;
}

static void on_model(struct script *x, const char *args)
{
    top(x)->provider = word(x->d, &args);
    top(x)->model = args;
}

static void on_style(struct script *x, const char *args)
{
    top(x)->style = strcmp(args, "pi") == 0         ? DEMO_PI
                    : strcmp(args, "opencode") == 0 ? DEMO_OPENCODE
                                                    : DEMO_CLAUDE;
}

static void on_age(struct script *x, const char *args) /* on_session() has read it */
{
    if (top(x)->up)
        top(x)->clock = x->d->now - age_of(args);
}

static void on_user(struct script *x, const char *args)
{
    (void)args;
    demo_entry(x->d, BOUGH_ROLE_USER);
    x->to = TO_TEXT;
}

static void on_assistant(struct script *x, const char *args)
{
    struct demo_entry *e;

    demo_entry(x->d, BOUGH_ROLE_ASSISTANT);
    e = &top(x)->entry;
    e->used.input = number(args, "in", 0);
    e->used.output = number(args, "out", 0);
    e->used.cache_read = number(args, "cached", 0);
    e->used.reasoning = number(args, "reasoning", 0);
    e->used.input -= e->used.cache_read;
    e->ms = number(args, "ms", 0);
    e->unknown = strstr(args, "unknown") != NULL;
    price(top(x)->model, &e->used);
    x->to = TO_TEXT;
}

static void on_text(struct script *x, const char *args)
{
    (void)args;
    x->to = TO_TEXT;
}

static void on_think(struct script *x, const char *args)
{
    (void)args;
    x->to = TO_THOUGHT;
}

static void on_tool(struct script *x, const char *args)
{
    const char *close;

    x->tool = word(x->d, &args);
    close = strrchr(args, '}');
    x->input = arena_strndup(x->d->a, args, (size_t)(close + 1 - args));
    x->result =
        (struct demo_result){ .exit = number(close, "exit", 0), .ms = number(close, "ms", 40) };
    x->lines = number(close, "lines", 0);
    x->to = TO_TOOL;
}

static void on_image(struct script *x, const char *args)
{
    const char *name = word(x->d, &args), *width = word(x->d, &args);

    demo_picture(x->d, name, (int)strtol(width, NULL, 10), (int)strtol(args, NULL, 10));
}

static void on_compact(struct script *x, const char *args)
{
    x->tokens_before = number(args, "before", 0);
    x->to = TO_SUMMARY;
}

static void on_mark(struct script *x, const char *args)
{
    struct demo_frame *f = top(x);

    demo_flush(x->d);
    if (f->nmarks < sizeof f->marks / sizeof *f->marks)
        f->marks[f->nmarks++] = (struct demo_mark){ args, f->last };
}

static void on_from(struct script *x, const char *args)
{
    struct demo_frame *f = top(x);

    demo_flush(x->d);
    for (size_t i = 0; i < f->nmarks; i++)
        if (strcmp(f->marks[i].name, args) == 0)
            f->at = f->marks[i].entry;
}

static void on_label(struct script *x, const char *args)
{
    demo_flush(x->d);
    if (!x->d->rc)
        demo_ok(x->d, bough_label_set(x->d->s, top(x)->id, top(x)->last, args, x->d->err));
}

static void on_subagent(struct script *x, const char *args)
{
    demo_subagent(x->d, args);
}

static void on_fork(struct script *x, const char *args)
{
    demo_fork(x->d, args);
}

static void on_end(struct script *x, const char *args)
{
    (void)args;
    demo_end_session(x->d);
}

static void on_todo(struct script *x, const char *args)
{
    struct demo_frame *f = top(x);
    const char *status = word(x->d, &args);

    if (f->ntodos < sizeof f->todos / sizeof *f->todos)
        f->todos[f->ntodos++] =
            (struct bough_todo){ .content = args, .status = status, .priority = "medium" };
}

static void on_memory(struct script *x, const char *args)
{
    struct bough_memory in = { .scope = BOUGH_MEMORY_OF_SESSION, .content = args }, *out;

    demo_flush(x->d);
    in.of = top(x)->id;
    if (!x->d->rc)
        demo_ok(x->d, bough_memory_add(x->d->s, x->d->a, &in, &out, x->d->err));
}

static void on_error(struct script *x, const char *args)
{
    top(x)->entry.error = args;
    x->to = TO_TEXT;
}

static void on_interrupted(struct script *x, const char *args)
{
    (void)args;
    top(x)->entry.end = DEMO_INTERRUPTED;
    x->to = TO_TEXT;
}

static void on_refused(struct script *x, const char *args)
{
    (void)args;
    top(x)->entry.end = DEMO_REFUSED;
    x->to = TO_TEXT;
}

static void on_archive(struct script *x, const char *args)
{
    (void)args;
    top(x)->archived = true;
}

static void on_delete(struct script *x, const char *args)
{
    (void)args;
    top(x)->deleted = true;
}

/* Title | project | provider model | account | days ago | cents | prompt | answer */
static void on_short(struct script *x, const char *args)
{
    char *rest = arena_strdup(x->d->a, args), *cell[8] = { 0 };
    const char *model;

    for (size_t i = 0; i < 8 && rest; i++) {
        char *bar = strstr(rest, " |");

        cell[i] = rest + strspn(rest, " ");
        rest = bar ? bar + 2 : NULL;
        if (bar)
            *bar = '\0';
    }
    if (!cell[7])
        return;
    demo_begin(x->d, cell[0],
               strtoll(cell[4], NULL, 10) * 86400000 + 3600000 + x->d->calls * 977000 % 40000000,
               2);
    top(x)->project = arena_printf(x->d->a, "/srv/%s", cell[1]);
    model = cell[2];
    top(x)->provider = word(x->d, &model);
    top(x)->model = model;
    top(x)->account = *cell[3] ? cell[3] : NULL;
    x->d->calls += 3;
    demo_exchange(x->d, cell[6], cell[7], strtoll(cell[5], NULL, 10) * 10000000);
}

static const struct {
    const char *name;
    void (*run)(struct script *x, const char *args);
} commands[] = {
    { "account", on_account },   { "age", on_age },
    { "archive", on_archive },   { "assistant", on_assistant },
    { "compact", on_compact },   { "delete", on_delete },
    { "end", on_end },           { "error", on_error },
    { "fork", on_fork },         { "from", on_from },
    { "image", on_image },       { "interrupted", on_interrupted },
    { "label", on_label },       { "mark", on_mark },
    { "memory", on_memory },     { "model", on_model },
    { "project", on_project },   { "refused", on_refused },
    { "session", on_session },   { "short", on_short },
    { "slug", on_slug },         { "style", on_style },
    { "subagent", on_subagent }, { "text", on_text },
    { "think", on_think },       { "todo", on_todo },
    { "tool", on_tool },         { "user", on_user },
};

static void run(struct script *x, const char *line)
{
    const char *args = line + 1, *name = word(x->d, &args);

    end_text(x);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            commands[i].run(x, args);
            return;
        }
    }
    demo_ok(x->d, bough_fail(x->d->err, BOUGH_INVALID, "the demo's script has no @%s", name));
}

/* ---- the whole script ---- */

/* A session of the script: where it begins and ends. */
struct block {
    const char *from, *end;
    int64_t age;
};

static bool begins(const char *line)
{
    return strncmp(line, "@session ", 9) == 0 || strncmp(line, "@short ", 7) == 0;
}

static const char *next_line(const char *p)
{
    p += strcspn(p, "\n");
    return p + (*p == '\n');
}

static int64_t age_of_block(const char *from)
{
    const char *cell = from;

    if (from[2] == 'e') /* @session */
        return age_ahead(from);
    for (int i = 0; i < 4 && cell; i++) {
        cell = strstr(cell, " | ");
        cell = cell ? cell + 3 : NULL;
    }
    return cell ? strtoll(cell, NULL, 10) * 86400000 : 0;
}

static int older_first(const void *a, const void *b)
{
    const struct block *x = a, *y = b;

    return x->age > y->age ? -1 : x->age < y->age;
}

static size_t find_blocks(struct demo *d, struct block **out)
{
    size_t n = 0;

    *out = NULL;
    for (const char *p = demo_sessions; *p; p = next_line(p)) {
        if (begins(p)) {
            *out = arena_room(d->a, *out, n, sizeof **out);
            (*out)[n++] = (struct block){ p, p, age_of_block(p) };
        }
        if (n)
            (*out)[n - 1].end = next_line(p);
    }
    return n;
}

static void run_block(struct script *x, const struct block *b)
{
    x->rest = b->from;
    while (x->rest < b->end && !x->d->rc) {
        const char *line = x->rest;
        size_t n = strcspn(line, "\n");

        x->rest = next_line(line);
        if (*line == '@') {
            run(x, arena_strndup(x->d->a, line, n));
        } else if (x->to != TO_NOTHING) {
            put_escapes(&x->text, line, n);
            buf_putc(&x->text, '\n');
        }
    }
    end_text(x);
    while (top(x))
        demo_end_session(x->d);
}

/* The oldest session first, as in life: lists, search and numbers follow the order of writing. */
void demo_script(struct demo *d)
{
    struct script x = { .d = d };
    struct block *blocks;
    size_t n = find_blocks(d, &blocks);

    buf_init(&x.text, 1 << 20);
    if (n)
        qsort(blocks, n, sizeof *blocks, older_first);
    for (size_t i = 0; i < n; i++)
        run_block(&x, &blocks[i]);
    buf_finish(&x.text);
}
