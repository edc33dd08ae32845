/* bough compact: put a summary in the place of what came before. Nothing is removed. */
#include "base/str.h"
#include "cli/cli.h"

static int run(struct cli *c)
{
    struct bough_compaction in = { .key = cli_value(c, "key"),
                                   .details = str_of(cli_value(c, "details")) };
    struct bough_session *s;
    char id[BOUGH_ID_LEN + 1];
    int rc;

    if (cli_has(c, "before") && cli_has(c, "keep"))
        return cli_usage(c, "--before and --keep exclude each other");
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
    { "before", 0, "ENTRY", "the last entry that is summarised" },
    { "keep", 'k', "ENTRY", "or the first one that is kept" },
    { "tokens-before", 0, "N", "tokens the context had" },
    { "tokens-saved", 0, "N", "tokens it saves" },
    { "details", 0, "JSON", "anything else worth keeping" },
    { "key", 0, "KEY", "idempotency key" },
    { 0 },
};

const struct cli_cmd cmd_compact = {
    .name = "compact",
    .args = "<session> <summary>",
    .summary = "let a model see a summary instead of what came before",
    .options = options,
    .run = run,
    .about =
        "Appends a marker and prints its id; the summary may be - for stdin. Nothing is removed:\n"
        "`bough show` still shows everything, `bough context` what a model gets.",
    .columns = "id",
    .examples = "bough compact . --keep @12 \"The cache key lacked the locale; fixed.\"",
};
