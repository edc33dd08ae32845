/* bough export: sessions as files of ours or of other tools, and what a damaged store still holds.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/iso.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/print.h"
#include "cli/when.h"

struct output {
    FILE *to;
    bool failed;
};

static bool put_line(void *user, struct bough_str json)
{
    struct output *o = user;

    o->failed = fwrite(json.p, 1, json.n, o->to) != json.n || putc('\n', o->to) == EOF;
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

/* A new file: what is saved must not be laid over something else. */
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

static int salvage(struct cli *c, const char *file)
{
    struct bough_salvage_report r;
    struct bough_error err = { 0 };
    struct output o = { 0 };
    int code = open_output(c, &o);
    enum bough_rc rc;

    if (code)
        return code;
    rc = bough_salvage(file, put_line, say_lost, &o, &r, &err);
    if (o.to != stdout && (fclose(o.to) != 0 || o.failed)) {
        fprintf(stderr, "bough export: the output could not be written\n");
        return CLI_FAILED;
    }
    if (rc && !o.failed)
        return cli_error(c, &err);
    fprintf(stderr,
            "saved %" PRId64 " sessions, %" PRId64 " branches, %" PRId64 " entries, %" PRId64
            " records, %" PRId64 " attachments from %" PRId64 " pages\n"
            "%" PRId64 " rows are damaged, %" PRId64 " entries are missing\n",
            r.sessions, r.branches, r.entries, r.records, r.attachments, r.pages, r.broken,
            r.missing);
    return r.entries || r.sessions ? CLI_DONE : CLI_FAILED;
}

/* ---- sessions in a format ---- */

struct file {
    FILE *to;
    const char *path, *tmp; /* tmp NULL: standard output */
    bool failed;
};

static bool put_piece(void *user, struct bough_str bytes)
{
    struct file *f = user;

    f->failed = fwrite(bytes.p, 1, bytes.n, f->to) != bytes.n;
    return !f->failed;
}

static int complain(struct cli *c, const char *path)
{
    c->err.rc = fs_rc(errno);
    snprintf(c->err.msg, sizeof c->err.msg, "cannot write %.150s: %s", path, strerror(errno));
    return cli_failed(c);
}

/* Beside the file, under another name: it appears when it is whole. */
static int file_open(struct cli *c, const char *path, struct file *f)
{
    int fd;

    *f = (struct file){ .to = stdout, .path = path };
    if (!path || strcmp(path, "-") == 0)
        return CLI_DONE;
    if (fs_exists(path) && !cli_has(c, "force")) {
        fprintf(stderr, "bough export: ");
        print_line(stderr, path);
        fprintf(stderr, " is there already; --force replaces it\n");
        return CLI_FAILED;
    }
    f->tmp = arena_printf(c->a, "%s.%ld.tmp", path, (long)getpid());
    fd = open(f->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    f->to = fd >= 0 ? fdopen(fd, "w") : NULL;
    return f->to ? CLI_DONE : complain(c, path);
}

static int file_close(struct cli *c, struct file *f, bool keep)
{
    bool bad;

    if (!f->tmp)
        return f->failed || fflush(stdout) ? CLI_FAILED : CLI_DONE;
    bad = f->failed || fflush(f->to) || fsync(fileno(f->to));
    bad = fclose(f->to) || bad;
    if (keep && !bad && rename(f->tmp, f->path) == 0)
        return CLI_DONE;
    if (keep)
        complain(c, f->path);
    unlink(f->tmp);
    return CLI_FAILED;
}

static int export_to(struct cli *c, const struct bough_session *s, const char *format,
                     struct file *f)
{
    struct bough_export how = {
        .format = format, .at = cli_value(c, "at"), .write = put_piece, .user = f
    };

    return bough_export_session(c->s, s->id, &how, &c->err) ? cli_failed(c) : CLI_DONE;
}

/* What came with a session is no part of a path as it is: no separators, nothing a terminal obeys,
 * and short enough for a file system. */
static const char *name_part(struct cli *c, const char *text)
{
    enum { MOST = 150 };
    char *out = arena_strndup(c->a, text, utf8_cut(text, strlen(text), MOST));

    for (char *p = out; *p; p++)
        if (strchr("/\\:", *p) || (unsigned char)*p < ' ' || *p == 0x7f)
            *p = '-';
    return out;
}

/* pi's names: a directory for the project, a file for the session (P1). */
static const char *file_in(struct cli *c, const struct bough_session *s, const char *dir,
                           const char *suffix)
{
    const char *project = name_part(c, *s->project == '/' ? s->project + 1 : s->project);
    const char *id = name_part(c, *s->origin ? s->origin : s->id);
    char *when = arena_alloc(c->a, ISO_TEXT);

    iso_print(s->created, when);
    for (char *p = when; *p; p++)
        *p = strchr(":.", *p) ? '-' : *p;
    return arena_printf(c->a, "%s/--%s--/%s_%s.%s", dir, project, when, id, suffix);
}

static const char *suffix_of(struct cli *c, const char *format)
{
    size_t n;
    struct bough_format *f = bough_format_list(c->a, &n);

    for (size_t i = 0; i < n; i++)
        if (f[i].writes && strcmp(f[i].name, format) == 0)
            return f[i].suffix;
    return NULL;
}

/* The names of the formats that are written. */
static const char *format_names(struct cli *c)
{
    size_t n;
    struct bough_format *f = bough_format_list(c->a, &n);
    const char *out = "";

    for (size_t i = 0; i < n; i++)
        if (f[i].writes)
            out = arena_printf(c->a, "%s%s%s", out, *out ? ", " : "", f[i].name);
    return out;
}

static int export_into(struct cli *c, const struct bough_session *s, const char *format,
                       const char *dir)
{
    const char *path = file_in(c, s, dir, suffix_of(c, format));
    const char *parent = arena_strndup(c->a, path, (size_t)(strrchr(path, '/') - path));
    struct file f;
    int code;

    if (fs_mkdirs(parent, 0700, &c->err))
        return cli_failed(c);
    code = file_open(c, path, &f);
    if (code)
        return code;
    code = export_to(c, s, format, &f);
    code = file_close(c, &f, !code) ? CLI_FAILED : code;
    if (!code) {
        print_line(stdout, path);
        putchar('\n');
    }
    return code;
}

static int export_notes(struct cli *c, const char *format, struct file *f)
{
    struct bough_export how = { .format = format, .write = put_piece, .user = f };

    return bough_export_notes(c->s, &how, &c->err) ? cli_failed(c) : CLI_DONE;
}

/* Every session; in formats that cannot say that it was deleted, every living one. */
static int each_session(struct cli *c,
                        int (*fn)(struct cli *c, const struct bough_session *s, const char *format,
                                  void *user),
                        const char *format, void *user)
{
    struct bough_list filter = { .limit = 500, .include_deleted = strcmp(format, "bough") == 0 };
    struct bough_sessions page;
    struct bough_session *s;
    int code = CLI_DONE;

    for (int i = 0; i < c->argc && !code; i++) {
        code = cli_session(c, c->argv[i], &s);
        if (!code)
            code = fn(c, s, format, user);
    }
    if (c->argc || !cli_has(c, "all"))
        return code;
    do {
        if (bough_session_list(c->s, c->a, &filter, &page, &c->err))
            return cli_failed(c);
        for (size_t i = 0; i < page.n && !code; i++)
            code = fn(c, &page.at[i], format, user);
        filter.cursor = page.next;
    } while (!code && *page.next);
    return code;
}

static int into_dir(struct cli *c, const struct bough_session *s, const char *format, void *dir)
{
    return export_into(c, s, format, dir);
}

static int into_file(struct cli *c, const struct bough_session *s, const char *format, void *file)
{
    return export_to(c, s, format, file);
}

static int export_sessions(struct cli *c)
{
    const char *format = cli_value(c, "format"), *dir = cli_value(c, "dir");
    struct file f;
    int code;

    format = format ? format : "bough";
    if (!suffix_of(c, format))
        return cli_usage(c, "no format is called %s; there are: %s", format, format_names(c));
    if (c->argc > 1 && !dir && strcmp(format, "bough") != 0)
        return cli_usage(c, "several sessions need --dir, or the format bough");
    code = cli_open(c, CLI_READ);
    if (code)
        return code;
    if (dir)
        return each_session(c, into_dir, format, (void *)(uintptr_t)dir);
    code = file_open(c, cli_value(c, "output"), &f);
    if (code)
        return code;
    if (cli_has(c, "all"))
        code = export_notes(c, format, &f);
    if (!code)
        code = each_session(c, into_file, format, &f);
    return file_close(c, &f, !code) ? CLI_FAILED : code;
}

static int run(struct cli *c)
{
    const char *file = cli_value(c, "salvage");

    if (file && cstr_empty(file))
        return cli_usage(c, "--salvage needs the name of a file");
    if (file)
        return salvage(c, file);
    if (!c->argc && !cli_has(c, "all"))
        return cli_usage(c, "what is to be exported? name sessions, or --all");
    return export_sessions(c);
}

static const struct cli_option options[] = {
    { "format", 'f', "NAME",
      "bough (complete, the default), pi, ...; a wrong name lists them all" },
    { "output", 'o', "FILE", "write to a new file instead of standard output" },
    { "dir", 0, "DIR", "one file a session, in a directory for its project" },
    { "at", 0, "ENTRY", "only the path to this entry" },
    { "all", 0, NULL, "every session" },
    { "force", 0, NULL, "replace files that are there" },
    { "salvage", 0, "FILE",
      "everything that is whole in a damaged store file, which is only read" },
    { 0 },
};

const struct cli_cmd cmd_export = {
    .name = "export",
    .args = "[session] ...",
    .summary = "write sessions as files of bough or another tool",
    .options = options,
    .run = run,
    .about =
        "A file appears when it is whole. With --salvage a damaged store file is read without\n"
        "the store's own engine, and what is whole in it comes out as JSON Lines.",
    .examples = "bough export brave-otter --format pi -o session.jsonl\n"
                "bough export --all --format pi --dir ~/pi-sessions  # as pi lays them out\n"
                "bough export --salvage broken.db -o saved.jsonl\n",
};
