/* bough export: conversations as JSON Lines. So far: what is whole in a damaged store file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/print.h"

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

static int run(struct cli *c)
{
    const char *file = cli_value(c, "salvage");

    if (!file)
        return cli_usage(c, "what is to be exported? --salvage FILE is what there is");
    if (cstr_empty(file))
        return cli_usage(c, "--salvage needs the name of a file");
    return salvage(c, file);
}

static const struct cli_option options[] = {
    { "salvage", 0, "FILE",
      "everything that is whole in a damaged store file, which is only read" },
    { "output", 'o', "FILE", "write to a new file instead of standard output" },
    { 0 },
};

const struct cli_cmd cmd_export = {
    .name = "export",
    .args = "",
    .summary = "write what a damaged store file still holds as JSON Lines (--salvage FILE)",
    .options = options,
    .run = run,
};
