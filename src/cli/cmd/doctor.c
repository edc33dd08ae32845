/* bough doctor: checks the installation, the store's file and its directory, and gives advice. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/config.h"

#define MB (INT64_C(1024) * 1024)
#define WEEK_MS (INT64_C(7) * 24 * 3600 * 1000)

enum mood { FINE, NOTE, WRONG };

struct visit {
    struct cli *c;
    int notes, wrong;
};

/* Print one finding: topic, text, and advice ("" when nothing is to be done). */
static void say(struct visit *v, enum mood mood, const char *about, const char *advice,
                const char *fmt, ...) BOUGH_PRINTF(5, 6);

static void say(struct visit *v, enum mood mood, const char *about, const char *advice,
                const char *fmt, ...)
{
    static const char *const words[] = { "ok", "note", "wrong" };
    static const enum print_style looks[] = { PRINT_GREEN, PRINT_YELLOW, PRINT_RED };
    struct json_writer *w;
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    v->notes += mood == NOTE;
    v->wrong += mood == WRONG;
    if (v->c->out.json) {
        w = out_json(&v->c->out);
        jw_obj(w);
        jw_kv_cstr(w, "state", words[mood]);
        jw_kv_cstr(w, "about", about);
        jw_kv_cstr(w, "text", text);
        jw_opt_cstr(w, "advice", advice);
        jw_end_obj(w);
        out_json_end(&v->c->out);
        return;
    }
    out_styled(&v->c->out, looks[mood], words[mood]);
    printf("%*s%s: ", (int)(7 - strlen(words[mood])), "", about);
    print_line(stdout, text);
    putchar('\n');
    if (*advice) {
        fputs("       What to do: ", stdout);
        print_line(stdout, advice);
        puts(".");
    }
}

/* ---- the installation ---- */

static void look_at_program(struct visit *v)
{
    const char *sqlite = bough_sqlite_version(), *value;
    struct bough_error err = { 0 };

    say(v, FINE, "program", "", "bough %s with SQLite %.*s", bough_version(),
        (int)strcspn(sqlite, " "), sqlite);
    if (config_get(v->c->a, "store", &value, NULL, &err))
        say(v, WRONG, "settings", "correct that line", "%s", err.msg);
    else if (config_path(v->c->a) && fs_exists(config_path(v->c->a)))
        say(v, FINE, "settings", "", "%s", config_path(v->c->a));
    else
        say(v, FINE, "settings", "", "no configuration file; using defaults");
}

/* ---- the file ---- */

static void look_at_rights(struct visit *v, const char *path, const struct stat *st)
{
    const char *a = arena_printf(v->c->a, "chmod 600 %s", path);

    if (st->st_uid != geteuid())
        say(v, NOTE, "owner", "run bough as the user whose store it is",
            "%s belongs to user %u, and you are %u", path, (unsigned)st->st_uid,
            (unsigned)geteuid());
    if (st->st_mode & 077)
        say(v, NOTE, "permissions", a, "other users can read your conversations (mode %03o)",
            (unsigned)st->st_mode & 0777);
    else
        say(v, FINE, "permissions", "", "only you can read %s", path);
    if (access(path, W_OK) != 0)
        say(v, NOTE, "permissions", "give yourself write permission, or copy the file",
            "%s is not writable: %s", path, strerror(errno));
}

static void look_at_place(struct visit *v, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dir = slash ? arena_strndup(v->c->a, path, (size_t)(slash - path) + 1) : ".";
    struct statvfs fs;
    int64_t left, size = fs_size(path);

    if (access(dir, W_OK) != 0)
        say(v, NOTE, "directory", "give yourself write permission for the directory too",
            "%s is not writable, and SQLite keeps its write-ahead log there: %s", dir,
            strerror(errno));
    if (fs_network(path))
        say(v, WRONG, "disk", "move the store to a local disk",
            "%s is on a network file system, where locks are unreliable", path);
    if (statvfs(dir, &fs) != 0)
        return;
    left = (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
    if (left < 100 * MB)
        say(v, WRONG, "disk", "free some disk space", "only %" PRId64 " MB are left", left / MB);
    else if (size > 0 && left < size)
        say(v, NOTE, "disk", "free some disk space, or back up to another disk",
            "%" PRId64 " MB are left: too little for a backup here (%" PRId64 " MB)", left / MB,
            size / MB);
    else
        say(v, FINE, "disk", "", "%" PRId64 " MB are left", left / MB);
}

static bool look_at_file(struct visit *v, const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0) {
        if (errno == ENOENT)
            say(v, NOTE, "store", "create one with `bough new`", "no store at %s yet", path);
        else
            say(v, WRONG, "store", "check the path and its permissions", "cannot access %s: %s",
                path, strerror(errno));
        return false;
    }
    if (S_ISLNK(st.st_mode)) {
        say(v, WRONG, "store", "use the path of the file itself", "%s is a symbolic link", path);
        return false;
    }
    if (!S_ISREG(st.st_mode)) {
        say(v, WRONG, "store", "use the path of a file", "%s is not a file", path);
        return false;
    }
    if (st.st_nlink > 1) {
        say(v, WRONG, "store", "remove the others; find -samefile shows them",
            "%s has %lu names (hard links): under each, SQLite would use another log", path,
            (unsigned long)st.st_nlink);
        return false;
    }
    say(v, FINE, "store", "", "%s, %" PRId64 " KB", path, (int64_t)st.st_size / 1024);
    look_at_rights(v, path, &st);
    look_at_place(v, path);
    return true;
}

/* ---- the contents ---- */

static void count_finding(void *user, const struct bough_finding *f)
{
    (void)user;
    (void)f;
}

/* What the store remembers of its care. */
static void look_at_care(struct visit *v, const struct bough_store_info_result *info)
{
    const struct bough_last_backup *b = info->last_backup;
    const struct bough_last_fsck *f = info->last_fsck;
    char when[32];

    out_time(&v->c->out, b->time, when);
    if (b->time)
        say(v, FINE, "backup", "", "%s, %s", b->file, when);
    out_time(&v->c->out, f->time, when);
    if (f->time)
        say(v, FINE, "last check", "", "%s, %s, %s", f->level,
            out_things(v->c->a, f->errors, "error"), when);
}

static void look_inside(struct visit *v)
{
    const struct bough_store_open_options options = { .read_only = true, .must_exist = true };
    const struct bough_store_scoped_options patient = { .deadline_ms = WEEK_MS };
    struct cli *c = v->c;
    struct bough_store *opened = NULL, *s;
    struct bough_store_fsck_result r = { 0 };
    struct bough_store_info_result info;
    struct bough_error err = { 0 };

    if (bough_store_open(&opened, c->store, &options, &err)) {
        say(v, WRONG, "opening", cli_hint(&err), "%s", err.msg);
        return;
    }
    s = bough_store_scoped(opened, &patient);
    if (bough_store_info(s, c->a, &info, &err))
        say(v, WRONG, "reading", cli_hint(&err), "%s", err.msg);
    else
        say(v, FINE, "format", "", "schema %" PRId64 ", %s", info.schema,
            out_things(c->a, info.last_no, "change"));
    if (!err.rc)
        look_at_care(v, &info);
    if (!err.rc && info.pending > 100000)
        say(v, NOTE, "lists", "any command that writes updates them; nothing is lost",
            "%" PRId64 " changes are not yet in the lists", info.pending);
    if (bough_store_fsck(s, BOUGH_FSCK_QUICK, count_finding, NULL, &r, &err))
        say(v, WRONG, "check", cli_hint(&err), "%s", err.msg);
    else if (r.errors)
        say(v, WRONG, "check", "run `bough fsck` to see them; do not delete the file", "%s",
            out_things(c->a, r.errors, "error"));
    else
        say(v, FINE, "check", "", "%s, no errors (`bough fsck` checks more)",
            out_things(c->a, r.sessions, "session"));
    bough_store_close(&s);
    bough_store_close(&opened);
}

/* PostgreSQL's durability settings are checked when the store is opened. */
static void look_at_server(struct visit *v)
{
    say(v, FINE, "store", "", "%s", bough_url_shown(v->c->a, v->c->store));
    look_inside(v);
}

static int run(struct cli *c)
{
    struct visit v = { .c = c };
    const char *path;

    look_at_program(&v);
    if (!cli_store_url(c))
        return CLI_FAILED;
    path = strncmp(c->store, "sqlite:", 7) == 0 ? c->store + 7 : c->store;
    if (strncmp(c->store, "memory:", 7) == 0)
        say(&v, NOTE, "store", "use a file to keep data",
            "a memory: store is lost when the program ends");
    else if (strstr(c->store, "://"))
        look_at_server(&v);
    else if (look_at_file(&v, path))
        look_inside(&v);
    cli_say(c, v.wrong   ? "There are problems."
               : v.notes ? "No problems; see the notes above."
                         : "Everything is fine.");
    return v.wrong ? CLI_FAILED : CLI_DONE;
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_doctor = {
    .name = "doctor",
    .args = "",
    .summary = "check the installation and the store for problems",
    .options = options,
    .run = run,
    .about = "Changes nothing. The exit code is 1 if there are problems.",
    .fields = "state (ok, note, wrong), about, text, advice",
};
