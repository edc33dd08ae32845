/* bough token: creates, lists and revokes API tokens. */
#include <string.h>
#include <time.h>

#include "api/kit/forms.h"
#include "auth/auth.h"
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"

static void put_json(struct cli *c, const struct auth_token *t, const char *secret)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    auth_token_form(w, c->a, t);
    jw_kv_cstr(w, "label", t->label); /* older names of name and last_used */
    form_time(w, "used", t->used);
    jw_opt_cstr(w, "secret", secret);
    jw_end_obj(w);
    out_json_end(&c->out);
}

static int create(struct cli *c)
{
    struct auth_token in = { .label = c->argv[1] }, made;
    const char *scopes = cli_value(c, "scopes"), *secret;
    int64_t days;
    int rc = cli_number(c, "days", 90, &days);

    if (!rc && auth_scopes_parse(scopes ? scopes : "read", &in.scopes, &c->err))
        rc = cli_failed(c);
    if (!rc && days > 36500)
        rc = cli_usage(c, "--days is at most 36500");
    if (!rc)
        rc = cli_open(c, CLI_CREATE);
    if (rc)
        return rc;
    in.project = cli_project(c);
    in.expires = days ? env_now(&env_system) + days * 24 * 3600 * 1000 : 0;
    if (auth_token_create(c->s, c->a, &in, NULL, &secret, &made, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        put_json(c, &made, secret);
        return CLI_DONE;
    }
    puts(secret);
    cli_say(c, "Save this token now: it is not shown again.");
    return CLI_DONE;
}

static const char *state_of(const struct auth_token *t)
{
    if (t->revoked)
        return "revoked";
    return t->expires && t->expires <= env_now(&env_system) ? "expired" : "active";
}

static int list(struct cli *c)
{
    static const struct table_column columns[] = {
        { "ID", .look = PRINT_YELLOW, .drop = 1 },
        { "LABEL", .flex = true },
        { "SCOPES", .flex = false },
        { "STATE", .flex = false },
        { "USED", .drop = 2 },
        { "PROJECT", .drop = 3 },
        { "BROWSER", .drop = 4, .flex = true, .optional = true },
    };
    struct auth_tokens all;
    struct table t;
    int rc = cli_open(c, CLI_READ);

    if (rc)
        return rc;
    if (auth_token_list(c->s, c->a, &all, &c->err))
        return cli_failed(c);
    table_init(&t, c->a, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < all.n; i++) {
        const struct auth_token *one = &all.at[i];

        if (c->out.json) {
            put_json(c, one, NULL);
            continue;
        }
        table_put(&t, one->id);
        table_put(&t, one->label);
        table_put(&t, auth_scopes_text(c->a, one->scopes));
        table_put(&t, state_of(one));
        table_time(&t, &c->out, one->used);
        table_put(&t, one->project);
        table_put(&t, one->agent);
    }
    table_print(&t, &c->out);
    if (!all.n)
        fputs("no tokens\n", stderr);
    return all.n ? CLI_DONE : CLI_FAILED;
}

static int revoke(struct cli *c)
{
    int rc = cli_open(c, CLI_WRITE);

    if (rc)
        return rc;
    if (auth_token_revoke(c->s, c->argv[1], &c->err))
        return cli_failed(c);
    cli_say(c, "Revoked: %s", c->argv[1]);
    return CLI_DONE;
}

static int run(struct cli *c)
{
    static const struct {
        const char *word;
        int args;
        int (*run)(struct cli *c);
    } verbs[] = { { "create", 2, create }, { "ls", 1, list }, { "revoke", 2, revoke } };

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(c->argv[0], verbs[i].word) != 0)
            continue;
        if (c->argc != verbs[i].args)
            return cli_usage(c,
                             verbs[i].args == 2 ? "bough token %s requires a label"
                                                : "bough token %s takes no argument",
                             verbs[i].word);
        return verbs[i].run(c);
    }
    return cli_usage(c, "expected create, ls or revoke, not \"%s\"", c->argv[0]);
}

static const struct cli_option options[] = {
    { "scopes", 's', "WORDS", "create: separated by commas (default: read)", auth_scope_word },
    { "project", 'p', "DIR", "create: restrict the token to this project" },
    { "days", 'd', "N", "create: days until it expires (90); 0 for never" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_token = {
    .name = "token",
    .args = "<create|ls|revoke> [label]",
    .arg_words = (const char *const[]){ "create", "ls", "revoke", NULL },
    .summary = "create, list and revoke tokens for the API, and signed-in browsers",
    .options = options,
    .run = run,
    .about =
        "A token is shown once, when it is created; the store keeps its SHA-256. Revoking takes "
        "effect at the next request, in every server on this store. Browsers that are signed in "
        "are listed too; they are revoked by their id.",
    .columns = "id, label, scopes, state, last use, project, browser; create prints the secret "
               "alone",
    .fields = "id, kind, name, scopes, project, user_agent, created, expires, last_used, revoked, "
              "secret (create)",
    .examples = "bough token create ci --scopes read,export  # prints the token\nbough token "
                "revoke ci  # it is refused from now on",
};
