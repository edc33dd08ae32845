/* bough compact: append a compaction marker. Nothing is removed. */
#include "base/text/str.h"
#include "cli/kit/cli.h"

static int run(struct cli *c)
{
    struct bough_compact_options in = { .key = cli_value(c, "key"),
                                        .details = str_of(cli_value(c, "details")) };
    struct bough_session *s;
    char id[BOUGH_ID_LEN + 1];
    int rc;

    if (cli_has(c, "before") && cli_has(c, "keep"))
        return cli_usage(c, "--before and --keep cannot be used together");
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
    { 0 },
};

const struct cli_cmd cmd_compact = {
    .name = "compact",
    .args = "<session> <summary>",
    .summary = "replace earlier messages in the context by a summary",
    .options = options,
    .run = run,
    .about =
        "Appends a marker and prints its id. The summary may be - for stdin. Nothing is removed: "
        "`bough show` still shows everything; `bough context` shows what a model gets.",
    .columns = "id",
    .examples = "bough compact . --keep @12 \"The cache key lacked the locale; fixed.\"",
};
