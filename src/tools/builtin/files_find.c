/* Lists and searches of a workspace. A walk follows no link and leaves out what git keeps for
 * itself. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/search/regex.h"
#include "tools/builtin/beneath.h"
#include "tools/builtin/files.h"

enum {
    PATH_MOST = 4095,
    PATTERN_MOST = 1000,
    DEPTH_MOST = 32,
    ENTRIES_MOST = 2000,         /* lines of a list */
    FOLDER_MOST = 20000,         /* entries of one folder that are looked at */
    WALK_MOST = 200000,          /* entries of one walk */
    SEARCHED_MOST = 1024 * 1024, /* bytes of a file that is searched; others are left out */
    LINE_MOST = 300,             /* bytes of a line that was found */
    OUT_MOST = 512 * 1024,
    SEARCH_MS = 20000,
};

/* ---- walking ---- */

struct walk {
    struct builtin_call *c;
    size_t depth; /* how many levels down */
    size_t seen;
    bool full; /* there was more than the limits allow */
    /* False: enough. `path` is relative to the workspace. */
    bool (*visit)(struct walk *w, const char *path, const struct stat *st);
    void *user;
};

static int by_name(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* The names in an open folder, sorted; `fd` is closed. */
static const char **names_of(struct walk *w, int fd, size_t *n)
{
    DIR *d = fdopendir(fd);
    const char **names = NULL;
    struct dirent *e;

    *n = 0;
    if (!d) {
        close(fd);
        return NULL;
    }
    while ((e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (*n == FOLDER_MOST) {
            w->full = true;
            break;
        }
        names = arena_room(w->c->a, names, *n, sizeof *names);
        names[(*n)++] = arena_strdup(w->c->a, e->d_name);
    }
    closedir(d);
    if (*n)
        qsort(names, *n, sizeof *names, by_name);
    return names;
}

/* Recurses as deep as w->depth says, DEPTH_MOST at most. */
static bool walk_folder(struct walk *w, int fd, const char *path, size_t depth) /* NOLINT */
{
    int here = dup(fd);
    size_t n;
    const char **names = names_of(w, fd, &n);
    bool more = here >= 0;

    for (size_t i = 0; i < n && more; i++) {
        const char *at =
            strcmp(path, ".") == 0 ? names[i] : arena_printf(w->c->a, "%s/%s", path, names[i]);
        struct stat st;
        int next;

        if (++w->seen > WALK_MOST || builtin_cancelled(w->c)) {
            w->full = true;
            more = false;
            break;
        }
        if (fstatat(here, names[i], &st, AT_SYMLINK_NOFOLLOW))
            continue;
        more = w->visit(w, at, &st);
        if (!more || !S_ISDIR(st.st_mode) || depth + 1 >= w->depth || strcmp(names[i], ".git") == 0)
            continue;
        next = openat(here, names[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next >= 0)
            more = walk_folder(w, next, at, depth + 1);
    }
    if (here >= 0)
        close(here);
    return more;
}

/* False: the call has failed. */
static bool walk_from(struct walk *w, const char *path)
{
    struct bough_error err;
    int fd;

    if (beneath_open(w->c->in->dir, path, true, &fd, &err)) {
        builtin_fail(w->c, "%s", err.msg);
        return false;
    }
    (void)walk_folder(w, fd, path, 0);
    return !w->c->out->cancelled;
}

/* ---- list ---- */

const struct builtin_field files_list_fields[] = {
    { "path", FIELD_TEXT, "Folder, relative to the workspace; the workspace itself if absent",
      .most = PATH_MOST },
    { "depth", FIELD_INTEGER, "How many levels to list; 1 if absent", .least = 1,
      .most = DEPTH_MOST },
    { 0 },
};

struct listing {
    struct buf out;
    size_t n;
};

static bool list_one(struct walk *w, const char *path, const struct stat *st)
{
    struct listing *l = w->user;

    if (l->n == ENTRIES_MOST) {
        w->full = true;
        return false;
    }
    l->n++;
    if (S_ISREG(st->st_mode))
        buf_printf(&l->out, "%s  %lld bytes\n", path, (long long)st->st_size);
    else
        buf_printf(&l->out, "%s%s\n", path,
                   S_ISDIR(st->st_mode)   ? "/"
                   : S_ISLNK(st->st_mode) ? "  (link)"
                                          : "  (special)");
    return true;
}

void files_list(struct builtin_call *c)
{
    struct listing l = { 0 };
    struct walk w = {
        .c = c, .depth = (size_t)arg_int(c, "depth", 1), .visit = list_one, .user = &l
    };
    const char *path = files_path(c, ".");

    if (!path)
        return;
    buf_init(&l.out, OUT_MOST);
    if (walk_from(&w, path)) {
        if (w.full || l.out.over)
            c->out->text = str_of(arena_printf(c->a,
                                               "%s[there is more: list a folder further "
                                               "down]",
                                               l.out.p));
        else
            c->out->text = l.n ? buf_give(&l.out, c->a) : str_of("(empty)");
        c->out->details = str_of(arena_printf(c->a, "{\"entries\":%zu}", l.n));
    }
    buf_finish(&l.out);
}

/* ---- search ---- */

const struct builtin_field files_search_fields[] = {
    { "pattern", FIELD_TEXT, "Regular expression for a line", .most = PATTERN_MOST,
      .required = true },
    { "path", FIELD_TEXT, "Folder to search, relative to the workspace", .most = PATH_MOST },
    { "names", FIELD_TEXT, "Only files whose name fits this, such as *.c", .most = 200 },
    { "limit", FIELD_INTEGER, "How many lines at most; 100 if absent", .least = 1, .most = 2000 },
    { 0 },
};

struct searching {
    struct regex *re;
    const char *names; /* NULL: any */
    struct buf out;
    int64_t found, most, until_us;
    struct bough_arena *file; /* for one file */
    bool late;
};

static bool search_over(void *user)
{
    const struct searching *s = user;

    return mono_us() > s->until_us;
}

static void put_found(struct searching *s, const char *path, int64_t line, struct bough_str text)
{
    size_t n = utf8_cut(text.p, text.n, LINE_MOST);

    buf_printf(&s->out, "%s:%lld: ", path, (long long)line);
    buf_put(&s->out, text.p, n);
    buf_puts(&s->out, n < text.n ? "...\n" : "\n");
    s->found++;
}

static void search_text(struct searching *s, const char *path, struct bough_str text)
{
    struct regex_stop stop = { search_over, s, false };
    size_t from, to;

    for (int64_t line = 1; text.n && s->found < s->most && !stop.gave_up; line++) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) : text.n;

        if (regex_find(s->re, s->file, str_make(text.p, n), 0, &stop, &from, &to))
            put_found(s, path, line, str_make(text.p, n));
        n += end != NULL;
        text.p += n;
        text.n -= n;
    }
}

static bool search_one(struct walk *w, const char *path, const struct stat *st)
{
    struct searching *s = w->user;
    const char *slash = strrchr(path, '/');
    struct bough_error err;
    struct bough_str text;

    s->late = search_over(s);
    if (s->late)
        return false;
    if (!S_ISREG(st->st_mode) || st->st_size > SEARCHED_MOST ||
        (s->names && fnmatch(s->names, slash ? slash + 1 : path, 0) != 0))
        return true;
    bough_arena_reset(s->file);
    if (!beneath_read(s->file, w->c->in->dir, path, SEARCHED_MOST, &text, &err) &&
        utf8_valid(text.p, text.n) == text.n && !memchr(text.p, '\0', text.n))
        search_text(s, path, text);
    return s->found < s->most && !s->out.over;
}

void files_search(struct builtin_call *c)
{
    struct searching s = { .names = arg_cstr(c, "names", NULL),
                           .most = arg_int(c, "limit", 100),
                           .until_us = mono_us() + SEARCH_MS * INT64_C(1000) };
    struct walk w = { .c = c, .depth = DEPTH_MOST, .visit = search_one, .user = &s };
    const char *path = files_path(c, ".");
    struct bough_error err;

    if (!path)
        return;
    if (regex_compile(c->a, arg_text(c, "pattern"), &s.re, &err)) {
        builtin_fail(c, "pattern: %s", err.msg);
        return;
    }
    s.file = bough_arena_create();
    buf_init(&s.out, OUT_MOST);
    if (walk_from(&w, path)) {
        const char *why = s.late ? "[the search took too long and was ended]"
                          : s.found < s.most && !w.full
                              ? ""
                              : "[there may be more: search a folder further down]";

        c->out->text =
            str_of(s.found || *why ? arena_printf(c->a, "%s%s", s.out.p, why) : "(nothing found)");
        c->out->details = str_of(arena_printf(c->a, "{\"found\":%lld}", (long long)s.found));
    }
    bough_arena_destroy(s.file);
    buf_finish(&s.out);
}
