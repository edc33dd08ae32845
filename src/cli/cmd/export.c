/* bough export: writes sessions in bough's or another tool's format, and salvages damaged
 * stores. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/sources/export_file.h"
#include "cli/term/print.h"
#include "cli/term/when.h"
#include "formats/common/format.h"

struct output {
    FILE *to;
    bool failed;
};

static bool put_line(void *user, struct bough_str json)
{
    struct output *o = user;

    o->failed = !export_bytes(o->to, json) || putc('\n', o->to) == EOF;
    return !o->failed;
}

static bool say_lost(void *user, const char *what)
{
    (void)user;
    fputs("lost: ", stderr);
    print_line(stderr, what);
    fputc('\n', stderr);
    return true;
}

/* Must be a new file: salvage never overwrites anything. */
static int open_output(const struct cli *c, struct output *o)
{
    const char *path = cli_value(c, "output");
    struct bough_error err = { .rc = BOUGH_IO };
    int fd;

    o->to = stdout;
    if (!path || strcmp(path, "-") == 0)
        return CLI_DONE;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    o->to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (o->to)
        return CLI_DONE;
    err.rc = errno == EEXIST ? BOUGH_EXISTS : BOUGH_IO;
    snprintf(err.msg, sizeof err.msg, "cannot create %.150s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return cli_error(c, &err);
}

static void say_saved(struct cli *c, const struct bough_salvage_result *r)
{
    fprintf(stderr, "saved %s, %s, %s, %s, %s from %s\n", out_things(c->a, r->sessions, "session"),
            out_things(c->a, r->branches, "branch"), out_things(c->a, r->entries, "entry"),
            out_things(c->a, r->records, "record"), out_things(c->a, r->attachments, "attachment"),
            out_things(c->a, r->pages, "page"));
}

static int salvage(struct cli *c, const char *file)
{
    struct bough_salvage_result r;
    struct bough_error err = { 0 };
    struct output o = { 0 };
    int code = open_output(c, &o);
    enum bough_rc rc;

    if (code)
        return code;
    rc = bough_salvage(file, put_line, say_lost, &o, &r, &err);
    if (o.to != stdout && (fclose(o.to) != 0 || o.failed)) {
        fprintf(stderr, "bough export: cannot write the output\n");
        return CLI_FAILED;
    }
    if (rc && !o.failed)
        return cli_error(c, &err);
    say_saved(c, &r);
    fprintf(stderr, "damaged: %s, missing: %s\n", out_things(c->a, r.broken, "row"),
            out_things(c->a, r.missing, "entry"));
    return r.entries || r.sessions ? CLI_DONE : CLI_FAILED;
}

/* Make a new store of a damaged one. */
static int rescue(struct cli *c, const char *file, const char *into)
{
    struct bough_rescue_result r;

    if (bough_rescue(file, into, NULL, NULL, NULL, c->a, &r, &c->err))
        return cli_failed(c);
    say_saved(c, &r.saved);
    fprintf(stderr, "damaged or lost: %s, quarantined: %s\n",
            out_things(c->a, r.saved.broken, "row"),
            out_things(c->a, r.repaired.quarantined, "row"));
    fputs("to use it: bough restore-backup ", stderr);
    print_line(stderr, into);
    fputc('\n', stderr);
    return CLI_DONE;
}

/* ---- sessions in a format ---- */

static const char *suffix_of(struct cli *c, const char *format)
{
    size_t n;
    struct bough_format *f = bough_format_list(c->a, &n);

    for (size_t i = 0; i < n; i++)
        if (f[i].writes && strcmp(f[i].name, format) == 0)
            return f[i].suffix;
    return NULL;
}

/* The names of all formats that can be written, comma-separated. */
static const char *format_names(struct cli *c)
{
    const char *out = "";

    for (size_t i = 0; format_written_name(i); i++)
        out = arena_printf(c->a, "%s%s%s", out, *out ? ", " : "", format_written_name(i));
    return out;
}

/* The file of a session below --dir: where its tool looks for it, if the format has one. */
static int export_into(struct cli *c, const struct bough_session *s, const char *format,
                       const char *dir)
{
    const struct layout *l = layout_of(format);
    struct export_place p = { .project = s->project };
    const char *folder;
    struct export_file f;
    int code;

    if (l) {
        code = export_lay_out(c, s, l, dir, &p);
    } else {
        p.path = layout_usual(c->a, dir, s, suffix_of(c, format));
        folder = arena_strndup(c->a, p.path, (size_t)(strrchr(p.path, '/') - p.path));
        if (fs_mkdirs(folder, 0700, &c->err))
            return cli_failed(c);
        code = export_open(c, p.path, &f);
        if (code)
            return code;
        code = export_write(c, s, format, &f);
        code = export_close(c, &f, !code) ? CLI_FAILED : code;
    }
    if (!code && p.existed) {
        fputs("bough export: ", stderr);
        print_line(stderr, p.path);
        fputs(" already exists; --force replaces it\n", stderr);
        return CLI_FAILED;
    }
    if (!code) {
        print_line(stdout, p.path);
        putchar('\n');
    }
    return code;
}

/* Several sessions, or all, in one file: each once, parents first. */
static int export_many(struct cli *c, const char *format, struct export_file *f)
{
    struct bough_export_options how = { .format = format, .write = export_put, .user = f };
    const char **ids = arena_array(c->a, (size_t)c->argc + 1, sizeof *ids);
    struct bough_session *s;

    for (int i = 0; i < c->argc; i++) {
        int code = cli_session(c, c->argv[i], &s);

        if (code)
            return code;
        ids[i] = s->id;
    }
    return bough_export_sessions(c->s, c->argc ? ids : NULL, (size_t)c->argc, &how, &c->err)
               ? cli_failed(c)
               : CLI_DONE;
}

static int export_file(struct cli *c, const char *format, struct export_file *f)
{
    struct bough_session *s;
    int code;

    if (c->argc != 1)
        return export_many(c, format, f);
    code = cli_session(c, c->argv[0], &s);
    return code ? code : export_write(c, s, format, f);
}

/* A file for every session named, or with --all for every session. Only bough's format includes
 * deleted ones, because the others cannot mark them. */
static int export_files(struct cli *c, const char *format, const char *dir)
{
    struct bough_session_list_options filter = { .limit = 500,
                                                 .include_deleted = strcmp(format, "bough") == 0 };
    struct bough_sessions page;
    struct bough_session *s;
    int code = CLI_DONE;

    for (int i = 0; i < c->argc && !code; i++) {
        code = cli_session(c, c->argv[i], &s);
        if (!code)
            code = export_into(c, s, format, dir);
    }
    if (c->argc || !cli_has(c, "all"))
        return code;
    do {
        if (bough_session_list(c->s, c->a, &filter, &page, &c->err))
            return cli_failed(c);
        for (size_t i = 0; i < page.n && !code; i++)
            code = export_into(c, &page.at[i], format, dir);
        filter.cursor = page.next;
    } while (!code && *page.next);
    return code;
}

static int export_sessions(struct cli *c)
{
    const char *format = cli_value(c, "format"), *dir = cli_value(c, "dir");
    struct export_file f;
    int code;

    format = format ? format : "bough";
    if (!suffix_of(c, format))
        return cli_usage(c, "unknown format %s; the formats are: %s", format, format_names(c));
    if (c->argc != 1 && cli_has(c, "at"))
        return cli_usage(c, "--at is an entry of one session");
    if (c->argc != 1 && !dir && strcmp(format, "bough") != 0)
        return cli_usage(c, "several sessions require --dir, or the format bough");
    code = cli_open(c, CLI_READ);
    if (code)
        return code;
    if (dir)
        return export_files(c, format, dir);
    code = export_open(c, cli_value(c, "output"), &f);
    if (code)
        return code;
    code = export_file(c, format, &f);
    return export_close(c, &f, !code) ? CLI_FAILED : code;
}

static int run(struct cli *c)
{
    const char *file = cli_value(c, "salvage");

    if (file && cstr_empty(file))
        return cli_usage(c, "--salvage requires a file");
    if (cli_value(c, "into") && (!file || cli_value(c, "output")))
        return cli_usage(c, "--into requires --salvage, and cannot be used with --output");
    if (file && cli_value(c, "into"))
        return rescue(c, file, cli_value(c, "into"));
    if (file)
        return salvage(c, file);
    if (!c->argc && !cli_has(c, "all"))
        return cli_usage(c, "nothing to export: name sessions, or use --all");
    return export_sessions(c);
}

static const struct cli_option options[] = {
    { "format", 'f', "NAME", "format to write (default: bough, which is complete)",
      format_written_name },
    { "output", 'o', "FILE", "write to a new file instead of standard output" },
    { "dir", 0, "DIR", "write one file per session, laid out as the format's tool does" },
    { "at", 0, "ENTRY", "only the path to this entry" },
    { "all", 0, NULL, "export all sessions" },
    { "force", 0, NULL, "replace existing files" },
    { "salvage", 0, "FILE", "export everything intact in a damaged store file" },
    { "into", 0, "NEW.db", "with --salvage: make a new store of it, which restore-backup reads" },
    { 0 },
};

const struct cli_cmd cmd_export = {
    .name = "export",
    .args = "[session] ...",
    .summary = "write sessions as files, in bough's or another tool's format",
    .options = options,
    .run = run,
    .about = "A file appears only when it is complete. With --dir, files of pi, Claude Code and "
             "Codex lie where these look for them below that folder; `bough resume` goes on with "
             "one. With --salvage, a damaged store file is "
             "read page by page, without SQLite, and all intact rows are written as JSON Lines, "
             "or with --into as a new store. The file itself is not changed.",
    .examples =
        "bough export brave-otter --format pi -o session.jsonl\nbough export --all --format pi "
        "--dir ~/pi-sessions  # in pi's layout\nbough export --salvage broken.db --into saved.db\n",
};
