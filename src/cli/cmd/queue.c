/* bough queue: the queue of prompts waiting for a session. */
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"

static void put_json(struct cli *c, const struct bough_prompt *p)
{
    struct json_writer *w = out_json(&c->out);

    form_prompt(w, p);
    out_json_end(&c->out);
}

static int list(struct cli *c, const char *session)
{
    static const struct table_column columns[] = {
        { "ID", .look = PRINT_YELLOW },
        { "QUEUED", .drop = 1 },
        { "PROMPT", .flex = true },
    };
    struct bough_prompts found;
    struct table t;

    if (bough_queue_list(c->s, c->a, session, &found, &c->err))
        return cli_failed(c);
    if (!found.n)
        fputs("no queued prompts\n", stderr);
    table_init(&t, c->a, columns, 3);
    for (size_t i = 0; i < found.n; i++) {
        const struct bough_prompt *p = &found.at[i];

        if (c->out.json)
            put_json(c, p);
        else
            table_note(&t, &c->out, p->id, p->created, p->content);
    }
    table_print(&t, &c->out);
    return found.n ? CLI_DONE : CLI_FAILED;
}

static int add(struct cli *c, const struct bough_session *s, const char *text)
{
    const char *model = cli_value(c, "model"), *slash = model ? strchr(model, '/') : NULL;
    struct bough_prompt in = { .model = slash ? slash + 1 : model }, *p;
    int rc = cli_text(c, text, &in.content);

    if (rc)
        return rc;
    if (slash)
        in.provider = arena_strndup(c->a, model, (size_t)(slash - model));
    if (bough_queue_add(c->s, c->a, s->id, &in, &p, &c->err))
        return cli_failed(c);
    if (c->out.json)
        put_json(c, p);
    else
        puts(p->id);
    return CLI_DONE;
}

static int take(struct cli *c, const struct bough_session *s)
{
    struct bough_prompt *p;

    if (bough_queue_take(c->s, c->a, s->id, &p, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        put_json(c, p);
    } else {
        print_safe(stdout, str_of(p->content), PRINT_TEXT);
        putchar('\n');
    }
    return CLI_DONE;
}

static int edit(struct cli *c, const struct bough_session *s, const char *id)
{
    struct bough_queue_edit_options change = { 0 };
    struct bough_prompt *p;
    int rc;

    if (c->argc < 2)
        return cli_usage(c, "--edit requires the new text after the session");
    rc = cli_text(c, c->argv[1], &change.content);
    if (rc)
        return rc;
    if (bough_queue_edit(c->s, c->a, s->id, id, &change, &p, &c->err))
        return cli_failed(c);
    if (c->out.json)
        put_json(c, p);
    return CLI_DONE;
}

static int run(struct cli *c)
{
    static const char *const actions[] = { "edit", "remove", "promote", "take" };
    struct bough_session *s;
    const char *action = NULL, *id = NULL;
    enum bough_rc rc;
    int code;

    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (!cli_has(c, actions[i]))
            continue;
        if (action)
            return cli_usage(c, "--%s and --%s cannot be used together", action, actions[i]);
        action = actions[i];
        id = cli_value(c, action);
    }
    code = cli_open(c, action || c->argc > 1 ? CLI_WRITE : CLI_READ);
    if (!code)
        code = cli_session(c, c->argv[0], &s);
    if (code)
        return code;
    if (!action)
        return c->argc > 1 ? add(c, s, c->argv[1]) : list(c, s->id);
    if (strcmp(action, "take") == 0)
        return take(c, s);
    if (strcmp(action, "edit") == 0)
        return edit(c, s, id);
    rc = strcmp(action, "remove") == 0 ? bough_queue_remove(c->s, s->id, id, &c->err)
                                       : bough_queue_promote(c->s, s->id, id, &c->err);
    return rc ? cli_failed(c) : CLI_DONE;
}

static const struct cli_option options[] = {
    { "model", 'm', "MODEL", "provider/model to answer it" },
    { "edit", 'e', "ID", "replace the text of a queued prompt" },
    { "promote", 0, "ID", "move a prompt to the front" },
    { "remove", 0, "ID", "remove a prompt from the queue" },
    { "take", 't', NULL, "print the next prompt and remove it" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_queue = {
    .name = "queue",
    .args = "<session> [text]",
    .summary = "list queued prompts, or queue one",
    .options = options,
    .run = run,
    .about = "With a text (- for stdin), queues it and prints its id. Each prompt is taken only "
             "once, even with several takers.",
    .columns = "id, time, text",
    .fields = "id, session, content, runtime_kind, provider, model, workspace, system_prompt, "
              "adapter_id, data, created, updated",
    .examples = "bough queue . \"And then the docs.\"\nbough queue . --take  # exit code 1 when "
                "the queue is empty",
};
