/* Prints entries as text. All text from a transcript goes through print_safe() or
 * markdown_print(). */
#include "cli/kit/render.h"

#include <inttypes.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/term/markdown.h"
#include "cli/term/when.h"
#include "cli/term/width.h"
#include "core/model/text.h"
#include "core/part/part.h"
#include "core/part/view.h"

enum { INPUT_COLUMNS = 160, OUTPUT_LINES = 8, LINE_BYTES = 400 };

/* ---- tools ---- */

/* The first of `names` found in the part's state, the part itself, toolInvocation or function. */
static struct json first_of(struct json part, const char *const *names)
{
    struct json places[] = { json_member(part, "state"), part, json_member(part, "toolInvocation"),
                             json_member(part, "function") };
    struct json found;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (const char *const *name = names; *name; name++)
            if (json_get(places[i], *name, &found) && json_type(found) != JSON_NULL)
                return found;
    return (struct json){ 0 };
}

/* A string as it is; [{"text": ...}, ...] joined by newlines; anything else as JSON. NULL when
 * absent. */
static const char *plain(struct bough_arena *a, struct json j)
{
    struct json_iter it = json_iter(j);
    struct bough_str s;
    const char *sum = "";
    bool texts = json_type(j) == JSON_ARRAY;

    if (!j.doc)
        return NULL;
    if (json_str(a, j, &s))
        return s.p;
    while (texts && json_next(&it)) {
        const char *text = json_cstr(a, it.value, "text");

        texts = text != NULL;
        sum = *sum ? arena_printf(a, "%s\n%s", sum, text ? text : "") : text;
    }
    s = json_raw(j);
    return texts && sum ? sum : arena_strndup(a, s.p, s.n);
}

void render_tool_view(struct bough_arena *a, const struct bough_part *part, struct tool_view *out)
{
    static const char *const inputs[] = { "input", "args", "arguments", NULL };
    static const char *const outputs[] = {
        "output", "result", "content", "error", "errorText", NULL
    };
    struct json j = { 0 };
    bool failed = false;
    struct bough_error err;

    *out = (struct tool_view){ .name = part_tool_name(a, part) };
    if (json_parse(a, part->json, &j, &err))
        return;
    out->input = json_raw(first_of(j, inputs));
    out->output = plain(a, first_of(j, outputs));
    (void)(json_bool(json_member(j, "is_error"), &failed) ||
           json_bool(json_member(j, "isError"), &failed));
    out->failed = failed || bough_tool_state_of(part->json) == BOUGH_TOOL_ERROR;
}

/* ---- one line ---- */

const char *render_summary(struct bough_arena *a, const struct bough_entry *e)
{
    struct json j = { 0 };
    const char *s = NULL;
    struct bough_error err;

    if (e->data.n && !json_parse(a, e->data, &j, &err))
        s = json_cstr(a, j, "summary");
    return s ? s : "";
}

static const char *change_of(struct bough_arena *a, const struct bough_entry *e)
{
    static const char *const keys[] = { "modelId", "thinkingLevel", "name", "label", "customType" };
    struct json j = { 0 };
    struct bough_error err;

    if (!e->data.n || json_parse(a, e->data, &j, &err))
        return "";
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *s = json_cstr(a, j, keys[i]);

        if (s)
            return s;
    }
    return "";
}

static const char *kind_of(const struct bough_entry *e)
{
    return cstr_empty(e->kind_name) ? bough_entry_kind_name(e->kind) : e->kind_name;
}

static const char *tools_line(struct bough_arena *a, const struct bough_entry *e)
{
    for (size_t i = 0; i < e->nparts; i++) {
        struct tool_view v;

        if (e->parts[i].type != BOUGH_PART_TOOL)
            continue;
        render_tool_view(a, &e->parts[i], &v);
        if (cstr_empty(v.name))
            return v.output ? arena_printf(a, "-> %.*s", LINE_BYTES, v.output) : "->";
        return arena_printf(a, "[%s] %.*s", v.name,
                            (int)(v.input.n < LINE_BYTES ? v.input.n : LINE_BYTES),
                            v.input.n ? v.input.p : "");
    }
    return e->nparts ? arena_printf(a, "(%s)", bough_part_type_name(e->parts[0].type)) : "";
}

const char *render_line(struct bough_arena *a, const struct bough_entry *e)
{
    const char *text;

    if (e->open)
        return "(still being written)";
    if (e->kind == BOUGH_ENTRY_COMPACTION)
        return arena_printf(a, "compaction: %.*s", LINE_BYTES, render_summary(a, e));
    if (e->kind == BOUGH_ENTRY_BRANCH_SUMMARY)
        return arena_printf(a, "branch summary: %.*s", LINE_BYTES, render_summary(a, e));
    text = preview_text(a, e->parts, e->nparts, LINE_BYTES);
    if (view_hidden(a, e))
        return arena_printf(a, "%s (hidden)", change_of(a, e));
    if (view_custom_text(a, e).n)
        return arena_printf(a, "%s: %.*s", change_of(a, e), LINE_BYTES, view_custom_text(a, e).p);
    if (!cstr_empty(text))
        return text;
    if (e->kind == BOUGH_ENTRY_MESSAGE)
        return tools_line(a, e);
    return arena_printf(a, "%s %s", kind_of(e), change_of(a, e));
}

/* ---- whole entries ---- */

static enum print_style look_of(enum bough_role role)
{
    switch (role) {
    case BOUGH_ROLE_USER:
        return PRINT_GREEN;
    case BOUGH_ROLE_ASSISTANT:
        return PRINT_CYAN;
    case BOUGH_ROLE_TOOL:
    case BOUGH_ROLE_BASH:
        return PRINT_YELLOW;
    case BOUGH_ROLE_SYSTEM:
        return PRINT_MAGENTA;
    case BOUGH_ROLE_NONE:
    case BOUGH_ROLE_CUSTOM:
    case BOUGH_ROLE_OTHER:
        break;
    }
    return PRINT_DIM;
}

static void put_usage(const struct bough_totals *t)
{
    char cost[40];

    printf("  %" PRId64 " in", t->input);
    if (t->cache_read || t->cache_write)
        printf(", %" PRId64 " cached", t->cache_read + t->cache_write);
    printf(", %" PRId64 " out", t->output);
    if (t->cost) {
        bough_money_text(t->cost, cost, sizeof cost);
        printf(", $%s", cost);
    }
}

static void put_header(const struct render *r, const struct bough_entry *e, const char *label)
{
    bool message = e->kind == BOUGH_ENTRY_MESSAGE;
    char when[32];

    out_styled(r->o, look_of(e->role), message ? bough_role_name(e->role) : kind_of(e));
    if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE && *change_of(r->a, e)) {
        putchar(' ');
        print_line(stdout, change_of(r->a, e));
    }
    out_style(r->o, PRINT_DIM);
    out_time(r->o, e->time, when);
    if (message)
        printf("  @%" PRId64, e->mno);
    printf("  #%" PRId64 ".%" PRId64 "  %s", e->at.branch, e->at.depth, when);
    if (e->usage)
        put_usage(e->usage);
    if (!cstr_empty(e->finish) && strcmp(e->finish, "stop") != 0) {
        fputs("  ", stdout);
        print_line(stdout, e->finish);
    }
    out_style(r->o, PRINT_PLAIN);
    if (e->deleted)
        out_styled(r->o, PRINT_RED, "  deleted");
    if (!cstr_empty(label)) {
        fputs("  ", stdout);
        out_styled(r->o, PRINT_YELLOW, arena_printf(r->a, "[%s]", label));
    }
    putchar('\n');
}

static void put_text(const struct render *r, struct bough_str s)
{
    const struct markdown how = { .width = r->o->width, .indent = 2, .colour = r->o->colour };

    if (!text_trim(s).n)
        return;
    if (r->o->tty && !r->raw) {
        markdown_print(stdout, s, &how);
        return;
    }
    print_safe(stdout, s, PRINT_TEXT);
    if (!s.n || s.p[s.n - 1] != '\n')
        putchar('\n');
}

/* At most OUTPUT_LINES lines, unless --full. */
static void put_lines(const struct render *r, const char *text)
{
    struct bough_str s = text_trim(str_of(text));
    size_t lines = 0;

    while (s.n && (r->full || lines < OUTPUT_LINES)) {
        const char *end = memchr(s.p, '\n', s.n);
        size_t n = end ? (size_t)(end - s.p) : s.n;
        struct bough_str line = str_make(s.p, n);

        fputs("    ", stdout);
        if (r->full || !r->o->tty) {
            print_safe(stdout, line, PRINT_LINE);
        } else {
            line = width_cut(r->a, line, r->o->width > 24 ? r->o->width - 4 : 20);
            fwrite(line.p, 1, line.n, stdout);
        }
        putchar('\n');
        n += end != NULL;
        s = str_make(s.p + n, s.n - n);
        lines++;
    }
    if (!s.n)
        return;
    for (lines = 1; s.n; lines++) {
        const char *end = memchr(s.p, '\n', s.n);

        if (!end)
            break;
        s = str_make(end + 1, s.n - (size_t)(end + 1 - s.p));
    }
    printf("    ... %zu more line%s (--full shows all)\n", lines, lines == 1 ? "" : "s");
}

static void put_tool(const struct render *r, const struct bough_part *part)
{
    struct tool_view v;
    size_t cols = r->full ? (size_t)1 << 20 : r->o->tty ? r->o->width : INPUT_COLUMNS;
    struct bough_str input;

    render_tool_view(r->a, part, &v);
    if (!cstr_empty(v.name)) {
        out_styled(r->o, PRINT_YELLOW, arena_printf(r->a, "  > %s", v.name));
        cols = cols > strlen(v.name) + 20 ? cols - strlen(v.name) - 6 : 20;
        input = width_cut(r->a, v.input, cols);
        printf(" %.*s\n", (int)input.n, input.p);
    }
    if (!v.output)
        return;
    out_style(r->o, v.failed ? PRINT_RED : PRINT_DIM);
    put_lines(r, v.output);
    out_style(r->o, PRINT_PLAIN);
}

static void put_part(const struct render *r, const struct bough_part *part)
{
    struct bough_str s;

    if (r->parts) {
        fputs("  ", stdout);
        print_safe(stdout, part->json, PRINT_TEXT);
        putchar('\n');
        return;
    }
    switch (part->type) {
    case BOUGH_PART_TEXT:
        put_text(r, bough_part_plain(r->a, part));
        return;
    case BOUGH_PART_REASONING:
        s = bough_part_plain(r->a, part);
        if (!text_trim(s).n)
            return;
        out_style(r->o, PRINT_DIM);
        fputs("  (thinking)\n", stdout);
        put_lines(r, arena_strndup(r->a, s.p, s.n));
        out_style(r->o, PRINT_PLAIN);
        return;
    case BOUGH_PART_TOOL:
        put_tool(r, part);
        return;
    case BOUGH_PART_FILE:
    case BOUGH_PART_STEP_START:
    case BOUGH_PART_STEP_FINISH:
    case BOUGH_PART_PATCH:
    case BOUGH_PART_SNAPSHOT:
    case BOUGH_PART_AGENT:
    case BOUGH_PART_COMPACTION:
    case BOUGH_PART_SUBTASK:
    case BOUGH_PART_RETRY:
    case BOUGH_PART_OTHER:
        break;
    }
    if (part->type == BOUGH_PART_STEP_START || part->type == BOUGH_PART_STEP_FINISH)
        return;
    s = width_cut(r->a, part->json, r->full ? 4096 : 60);
    out_style(r->o, PRINT_DIM);
    printf("  (%s) %.*s\n", bough_part_type_name(part->type), (int)s.n, s.p);
    out_style(r->o, PRINT_PLAIN);
}

void render_entry(const struct render *r, const struct bough_entry *e, const char *label)
{
    put_header(r, e, label);
    if (e->open)
        puts("  (still being written)");
    for (size_t i = 0; i < e->nparts; i++)
        put_part(r, &e->parts[i]);
    if (e->kind == BOUGH_ENTRY_COMPACTION || e->kind == BOUGH_ENTRY_BRANCH_SUMMARY)
        put_text(r, str_of(render_summary(r->a, e)));
    else if (view_custom_text(r->a, e).n)
        put_text(r, view_custom_text(r->a, e));
    else if (e->kind != BOUGH_ENTRY_MESSAGE && !e->nparts && *change_of(r->a, e))
        put_text(r, str_of(change_of(r->a, e)));
    if (e->error.n) {
        out_style(r->o, PRINT_RED);
        fputs("  error: ", stdout);
        print_safe(stdout, e->error, PRINT_LINE);
        putchar('\n');
        out_style(r->o, PRINT_PLAIN);
    }
    putchar('\n');
}
