/* bough config: print the settings and their origin, or change the file. */
#include "cli/kit/config.h"

#include <string.h>

#include "cli/kit/cli.h"
#include "cli/term/table.h"

static int put_all(struct cli *c)
{
    static const struct table_column columns[] = {
        { "SETTING", .look = PRINT_BOLD },
        { "VALUE", .flex = true },
        { "FROM", .drop = 1 },
        { "", .drop = 2, .flex = true, .look = PRINT_DIM },
    };
    const char *value, *from;
    struct json_writer *w;
    struct table t;

    table_init(&t, c->a, columns, 4);
    w = c->out.json ? out_json(&c->out) : NULL;
    if (w)
        jw_obj(w);
    for (const struct config_key *k = config_keys; k->name; k++) {
        if (config_get(c->a, k->name, &value, &from, &c->err))
            return cli_failed(c);
        value = value ? bough_url_shown(c->a, value) : NULL;
        if (w) {
            jw_kv_cstr(w, k->name, value);
            continue;
        }
        table_put(&t, k->name);
        table_put(&t, value ? value : "");
        table_put(&t, value ? from : "");
        table_put(&t, k->about);
    }
    if (w) {
        jw_end_obj(w);
        out_json_end(&c->out);
    }
    table_print(&t, &c->out);
    cli_say(c, "Configuration file: %s",
            config_path(c->a) ? config_path(c->a) : "(HOME is not set)");
    return CLI_DONE;
}

static int run(struct cli *c)
{
    const char *name = c->argc ? c->argv[0] : NULL, *value = c->argc > 1 ? c->argv[1] : NULL;
    bool unset = cli_has(c, "unset");

    if (cli_has(c, "path")) {
        print_line(stdout, config_path(c->a));
        putchar('\n');
        return CLI_DONE;
    }
    if (!name)
        return unset ? cli_usage(c, "--unset requires the name of a setting") : put_all(c);
    if (!config_key(name))
        return cli_usage(c, "unknown setting \"%s\"; `bough config` lists all settings", name);
    if (unset && value)
        return cli_usage(c, "--unset takes no value");
    if (value || unset)
        return config_set(c->a, name, value, &c->err) ? cli_failed(c) : CLI_DONE;
    if (config_get(c->a, name, &value, NULL, &c->err))
        return cli_failed(c);
    if (!value)
        return CLI_FAILED;
    print_line(stdout, value);
    putchar('\n');
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "unset", 0, NULL, "remove the setting from the file" },
    { "path", 0, NULL, "print the path of the file" },
    { "json", 0, NULL, "all settings as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_config = {
    .name = "config",
    .args = "[name] [value]",
    .summary = "print settings, or set one",
    .options = options,
    .run = run,
    .about = "Settings are kept in $XDG_CONFIG_HOME/bough/config.ini (~/.config/bough/config.ini), "
             "as lines such as \"pager = less -S\". Environment variables override the file, and "
             "options override both.",
    .columns = "name, value, origin, description",
    .fields = "the names of the settings",
    .examples = "bough config pager 'less -S'",
};
