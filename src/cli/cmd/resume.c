/* bough resume: places a session where another tool looks for it, and goes on with it there. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/sources/export_file.h"

static const char *const words[] = { "claude", "codex", "opencode", "pi", NULL };

/* --in, or the tool that the session was imported from. */
static int find_tool(struct cli *c, const struct bough_session *s, const struct layout **out)
{
    const char *word = cli_value(c, "in"), *format = "";

    if (!word && bough_import_format(c->s, s, &format, &c->err))
        return cli_failed(c);
    *out = layout_of(format);
    for (const struct layout *l = layouts; word && l->word; l++)
        if (strcmp(l->word, word) == 0)
            *out = l;
    if (*out)
        return CLI_DONE;
    return cli_usage(c, "#%lld %s did not come from a tool that can go on with it: use --in",
                     (long long)s->number, s->slug);
}

/* The directory of the session if it exists here, else the current one. */
static const char *work_in(struct cli *c, const struct bough_session *s)
{
    const char *dir = cli_has(c, "project") ? cli_project(c) : s->project;
    struct stat st;

    if (!cstr_empty(dir) && stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
        return dir;
    return cli_here(c);
}

static void put(struct cli *c, const struct export_place *p, const char *command)
{
    struct json_writer *w;

    if (c->out.json) {
        w = out_json(&c->out);
        jw_obj(w);
        jw_kv_cstr(w, "path", p->path);
        jw_kv_cstr(w, "id", p->id);
        jw_kv_cstr(w, "directory", p->project);
        jw_kv_cstr(w, "command", command);
        jw_kv_bool(w, "existed", p->existed);
        jw_end_obj(w);
        out_json_end(&c->out);
        return;
    }
    if (p->existed) {
        print_line(stderr, p->path);
        fputs(" was there and stays as it is; --force replaces it\n", stderr);
    } else if (p->kept) {
        fputs("The file that was there is kept as ", stderr);
        print_line(stderr, p->kept);
        fputc('\n', stderr);
    }
    if (!p->existed)
        cli_say(c, "Wrote %s", p->path);
    if (!cli_has(c, "run")) {
        print_line(stdout, command);
        putchar('\n');
    }
}

static int run(struct cli *c)
{
    const struct layout *l = NULL;
    struct bough_session *s;
    struct export_place p = { .keeps = true };
    const char *root, *command;
    int rc = cli_open(c, CLI_READ);

    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (!rc)
        rc = find_tool(c, s, &l);
    if (rc || !l)
        return rc;
    root = layout_root(c->a, l);
    if (!root)
        return cli_usage(c, "HOME is not set, so the folder of %s is not known", l->word);
    p.project = work_in(c, s);
    rc = export_lay_out(c, s, l, root, &p);
    if (rc)
        return rc;
    if (!layout_id_is_word(p.id) && strcmp(l->word, "pi") != 0)
        return cli_usage(c, "%s cannot be told to go on with the id %s", l->word, p.id);
    command = layout_command(c->a, l, p.project, p.path, p.id);
    put(c, &p, command);
    if (!cli_has(c, "run"))
        return CLI_DONE;
    bough_store_close(&c->s);
    fflush(stdout);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    bough_fail(&c->err, BOUGH_IO, "cannot start a shell");
    return cli_failed(c);
}

static const struct cli_option options[] = {
    { "in", 'i', "TOOL", "claude, codex, opencode or pi (default: the tool it came from)",
      .one_of = words },
    { "at", 0, "ENTRY", "go on from this entry instead of the head" },
    { "project", 'p', "DIR", "directory to work in (default: the session's, if it exists here)" },
    { "run", 'r', NULL, "start the tool, instead of printing the command" },
    { "force", 0, NULL, "replace the tool's file of this session; the old one is kept beside it" },
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_resume = {
    .name = "resume",
    .args = "<session>",
    .summary = "go on with a session in Claude Code, Codex, opencode or pi",
    .options = options,
    .run = run,
    .about = "Writes the session, of whatever tool, into the folder where the tool looks for its "
             "own, and prints the command that goes on with it. What the tool adds comes back into "
             "this session with `bough import`. A file that the tool has already is not touched "
             "unless --force is "
             "given: it has the session as the tool knows it.",
    .columns = "the command",
    .fields = "path, id, directory, command, existed",
    .examples = "bough resume cache-bug --in claude\nbough resume . --in codex --run",
};
