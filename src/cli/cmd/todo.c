/* bough todo: shows and edits a session's todo list. The library only replaces whole lists. */
#include <stdlib.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"

struct items {
    struct bough_todo *at;
    size_t n;
};

static void push(struct cli *c, struct items *list, struct bough_todo item)
{
    list->at = arena_room(c->a, list->at, list->n, sizeof *list->at);
    list->at[list->n++] = item;
}

/* Parse an item number: "3" is the third item. */
static int item_at(struct cli *c, const struct items *list, const char *text, size_t *i)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n < 1 || (size_t)n > list->n)
        return cli_usage(c, "no item %s; the list has %zu", text, list->n);
    *i = (size_t)n - 1;
    return CLI_DONE;
}

/* Apply the options in the order given, so that one command can make several changes. */
static int change(struct cli *c, struct items *list)
{
    static const struct {
        const char *option, *status;
    } marks[] = { { "done", "completed" },
                  { "start", "in_progress" },
                  { "cancel", "cancelled" },
                  { "reopen", "pending" } };
    const char *priority = cli_has(c, "priority") ? cli_value(c, "priority") : "medium";
    size_t i = 0;
    int rc = CLI_DONE;

    for (int g = 0; g < c->n_given && !rc; g++) {
        const char *name = c->given[g].option->name, *value = c->given[g].value;

        if (strcmp(name, "clear") == 0)
            list->n = 0;
        if (strcmp(name, "add") == 0)
            push(
                c, list,
                (struct bough_todo){ .content = value, .status = "pending", .priority = priority });
        if (strcmp(name, "drop") == 0 && !(rc = item_at(c, list, value, &i)) && list->at)
            memmove(list->at + i, list->at + i + 1, (--list->n - i) * sizeof *list->at);
        for (size_t m = 0; m < sizeof marks / sizeof *marks && !rc; m++)
            if (strcmp(name, marks[m].option) == 0 && !(rc = item_at(c, list, value, &i)) &&
                list->at)
                list->at[i].status = marks[m].status;
    }
    return rc;
}

/* [{"content": ..., "status": ..., "priority": ...}, ...] */
static int read_all(struct cli *c, const char *text, struct items *list)
{
    struct bough_str json;
    struct json j = { 0 };
    struct json_iter it;
    int rc = cli_input(c, text, &json);

    if (rc)
        return rc;
    if (json_parse(c->a, json, &j, &c->err))
        return cli_failed(c);
    if (json_type(j) != JSON_ARRAY)
        return cli_usage(c, "--set expects a JSON array of objects with content and status");
    list->n = 0;
    for (it = json_iter(j); json_next(&it);) {
        const char *content = json_cstr(c->a, it.value, "content");
        const char *status = json_cstr(c->a, it.value, "status");
        const char *priority = json_cstr(c->a, it.value, "priority");

        push(c, list,
             (struct bough_todo){ .content = content ? content : "",
                                  .status = status ? status : "pending",
                                  .priority = priority ? priority : "medium" });
    }
    return CLI_DONE;
}

static void put_json(struct cli *c, const struct bough_todos *t)
{
    struct json_writer *w = out_json(&c->out);

    form_todos(w, t);
    out_json_end(&c->out);
}

static const char *mark_of(const char *status)
{
    if (strcmp(status, "completed") == 0)
        return "[x]";
    if (strcmp(status, "in_progress") == 0)
        return "[>]";
    return strcmp(status, "cancelled") == 0 ? "[-]" : "[ ]";
}

static void put(struct cli *c, const struct bough_todos *t)
{
    if (c->out.json) {
        put_json(c, t);
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        const struct bough_todo *item = &t->at[i];
        bool open =
            strcmp(item->status, "pending") == 0 || strcmp(item->status, "in_progress") == 0;

        if (c->out.tty) {
            printf("%2zu %s ", i + 1, mark_of(item->status));
            out_styled(&c->out, open ? PRINT_PLAIN : PRINT_DIM, item->content);
        } else {
            printf("%zu\t%s\t%s\t", i + 1, item->status, item->priority);
            print_line(stdout, item->content);
        }
        putchar('\n');
    }
    cli_say(c, "%lld of %lld to do", (long long)t->incomplete, (long long)t->total);
}

static bool changes(const struct cli *c)
{
    for (int i = 0; i < c->n_given; i++)
        if (strstr(" add done start cancel reopen drop clear set ",
                   arena_printf(c->a, " %s ", c->given[i].option->name)))
            return true;
    return false;
}

static int run(struct cli *c)
{
    bool write = changes(c);
    struct bough_session *s;
    struct bough_todos t;
    struct items list = { 0 };
    int rc = cli_open(c, write ? CLI_WRITE : CLI_READ);

    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (rc)
        return rc;
    if (bough_todo_get(c->s, c->a, s->id, &t, &c->err))
        return cli_failed(c);
    if (write) {
        for (size_t i = 0; i < t.n; i++)
            push(c, &list, t.at[i]);
        rc = cli_has(c, "set") ? read_all(c, cli_value(c, "set"), &list) : CLI_DONE;
        if (!rc)
            rc = change(c, &list);
        if (rc)
            return rc;
        if (bough_todo_replace(c->s, c->a, s->id, list.at, list.n, &t, &c->err))
            return cli_failed(c);
    }
    put(c, &t);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "add", 'a', "TEXT", "add an item at the end" },
    { "priority", 'p', "WORD", "with --add: high, medium or low", ONE_OF("high", "medium", "low") },
    { "done", 'd', "N", "mark item N as completed" },
    { "start", 's', "N", "mark item N as in progress" },
    { "cancel", 0, "N", "mark item N as cancelled" },
    { "reopen", 0, "N", "mark item N as pending" },
    { "drop", 0, "N", "remove item N" },
    { "clear", 0, NULL, "remove all items" },
    { "set", 0, "JSON", "replace the whole list; - reads stdin" },
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_todo = {
    .name = "todo",
    .args = "<session>",
    .summary = "show and change the todo list of a session",
    .options = options,
    .run = run,
    .columns = "number, status, priority, text",
    .fields = "items (content, status, priority), total, incomplete, in_progress, completed, "
              "cancelled, updated",
    .examples = "bough todo . --add \"Write the test\" --done 1",
};
