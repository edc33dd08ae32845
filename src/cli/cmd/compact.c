/* bough compact: append a compaction marker. Nothing is removed. */
#include "gateway/summary/compact.h"
#include "base/text/str.h"
#include "cli/kit/models.h"

/* Without a summary a model writes one. */
static int by_model(struct cli *c)
{
    struct compact_options in = { .model = cli_value(c, "model"),
                                  .instructions = cli_value(c, "about") };
    struct compact_result out;
    struct gateway *g = NULL;
    struct bough_session *s;
    int rc = cli_number(c, "keep-tokens", 0, &in.keep_tokens);

    if (!rc)
        rc = cli_open(c, CLI_WRITE);
    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (!rc)
        rc = cli_models(c, &g);
    if (rc)
        return rc;
    in.store = c->s;
    in.session = s->id;
    if (compact_session(g, c->a, &in, &out, &c->err)) {
        rc = cli_failed(c);
    } else {
        puts(out.marker);
        if (c->out.tty)
            print_safe(stdout, str_of(out.summary), PRINT_TEXT);
    }
    gateway_destroy(g);
    return rc;
}

static int run(struct cli *c)
{
    struct bough_compact_options in = { .key = cli_value(c, "key"),
                                        .details = str_of(cli_value(c, "details")) };
    struct bough_session *s;
    char id[BOUGH_ID_LEN + 1];
    int rc;

    if (cli_has(c, "before") && cli_has(c, "keep"))
        return cli_usage(c, "--before and --keep cannot be used together");
    if (c->argc < 2 && (cli_has(c, "before") || cli_has(c, "keep")))
        return cli_usage(c, "--before and --keep need a summary; a model keeps --keep-tokens");
    if (c->argc < 2)
        return by_model(c);
    rc = cli_text(c, c->argv[1], &in.summary);
    if (!rc)
        rc = cli_number(c, "tokens-before", 0, &in.tokens_before);
    if (!rc)
        rc = cli_number(c, "tokens-saved", 0, &in.tokens_saved);
    if (!rc)
        rc = cli_open(c, CLI_WRITE);
    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (!rc && cli_has(c, "before"))
        rc = cli_entry(c, s->id, cli_value(c, "before"), &in.before);
    if (!rc && cli_has(c, "keep"))
        rc = cli_entry(c, s->id, cli_value(c, "keep"), &in.first_kept);
    if (rc)
        return rc;
    if (bough_compact(c->s, s->id, &in, id, &c->err))
        return cli_failed(c);
    puts(id);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "before", 0, "ENTRY", "last entry covered by the summary" },
    { "keep", 'k', "ENTRY", "first entry to keep, instead of --before" },
    { "tokens-before", 0, "N", "tokens in the context so far" },
    { "tokens-saved", 0, "N", "tokens saved" },
    { "details", 0, "JSON", "additional data to store with the marker" },
    { "key", 0, "KEY", "idempotency key" },
    { "model", 'm', "MODEL", "without a summary: the model that writes it" },
    { "keep-tokens", 0, "N", "without a summary: tokens of recent messages to keep (20000)" },
    { "about", 0, "TEXT", "without a summary: what it should care about" },
    { 0 },
};

const struct cli_cmd cmd_compact = {
    .name = "compact",
    .args = "<session> [summary]",
    .summary = "replace earlier messages in the context by a summary",
    .options = options,
    .run = run,
    .about =
        "Appends a marker and prints its id. The summary may be - for stdin; without one, a model "
        "of the configuration writes it (see `bough providers`). Nothing is removed: "
        "`bough show` still shows everything; `bough context` shows what a model gets.",
    .columns = "id",
    .examples = "bough compact . --keep @12 \"The cache key lacked the locale; fixed.\"\n"
                "bough compact . --model claude-haiku-4-5  # a model writes the summary",
};
