/* Assembles a session of opencode's storage, which has one JSON file per message and part.
 * Read-only. */
#include "transfer/import/opencode_storage.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "core/model/text.h"

enum { FILES_MOST = 1000000, FLUSH_AT = 256 * 1024 };

struct storage {
    struct placer *p;
    struct bough_arena *a;
    const char *root; /* the folder "storage" */
    int fd;           /* the temporary file */
    struct buf out;   /* not written yet */
    enum bough_rc rc;
    struct bough_error *err;
};

struct names_list {
    const char **at;
    size_t n, cap;
};

/* The 48 bits of time in an id: "prt_0123456789ab...". */
static uint64_t id_time(const char *name)
{
    const char *under = strchr(name, '_');
    char hex[13] = "";

    if (under)
        strncat(hex, under + 1, 12);
    return strtoull(hex, NULL, 16);
}

/* The times wrap every 795 days (A25), so compare them modulo 2^48. */
static int by_id(const void *a, const void *b)
{
    const char *one = *(const char *const *)a, *other = *(const char *const *)b;
    uint64_t ahead = (id_time(one) - id_time(other)) & 0xffffffffffffull;

    if (!ahead)
        return strcmp(one, other);
    return ahead < 0x800000000000ull ? 1 : -1;
}

static struct names_list list_dir(struct storage *st, const char *dir)
{
    struct names_list l = { 0 };
    struct dirent *e;
    DIR *d = opendir(dir);

    while (d && l.n < FILES_MOST && (e = readdir(d)) != NULL) {
        size_t n = strlen(e->d_name);

        if (n < 6 || strcmp(e->d_name + n - 5, ".json") != 0)
            continue;
        if (l.n == l.cap) {
            size_t cap = l.cap ? 2 * l.cap : 64;

            l.at = arena_resize(st->a, l.at, l.cap * sizeof *l.at, cap * sizeof *l.at);
            l.cap = cap;
        }
        l.at[l.n++] = arena_strdup(st->a, e->d_name);
    }
    if (d)
        closedir(d);
    if (l.n)
        qsort(l.at, l.n, sizeof *l.at, by_id);
    return l;
}

static void flush_out(struct storage *st)
{
    for (size_t at = 0; at < st->out.n && !st->rc;) {
        ssize_t n = write(st->fd, st->out.p + at, st->out.n - at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            st->rc = bough_fail(st->err, fs_rc(errno), "a temporary file: %s", strerror(errno));
        at += n > 0 ? (size_t)n : 0;
    }
    buf_reset(&st->out);
}

/* Read one JSON file. An unreadable or invalid one becomes a problem, and returns false. */
static bool read_json(struct storage *st, struct bough_arena *a, const char *path,
                      struct bough_str *text)
{
    struct bough_error why;
    bool fine = fs_read(a, path, LIMIT_MESSAGE_BYTES, text, &why) == BOUGH_OK;

    if (fine) {
        struct bough_str was = text_trim(*text);

        *text = text_clean(a, was);
        if (text->p != was.p)
            placer_problem(st->p, 0,
                           arena_printf(a,
                                        "%s: bytes in it are not UTF-8, or NUL: they were "
                                        "replaced",
                                        path));
        fine = json_check(*text, LIMIT_JSON_DEPTH - 8, &why) == BOUGH_OK;
    }
    if (!fine)
        placer_problem(st->p, 0, arena_printf(a, "%s: %s", path, why.msg));
    return fine;
}

static void put_text(struct storage *st, const char *before, struct bough_str text)
{
    buf_puts(&st->out, before);
    buf_put_str(&st->out, text);
    if (st->out.n >= FLUSH_AT)
        flush_out(st);
}

static bool put_file(struct storage *st, const char *before, const char *path)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_str text;
    bool fine = read_json(st, a, path, &text);

    if (fine)
        put_text(st, before, text);
    bough_arena_destroy(a);
    return fine;
}

/* {"id":id} as members, without the braces. */
static const char *id_member(struct bough_arena *a, const char *id)
{
    struct json_writer w;
    struct buf b;
    const char *out;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "id", id);
    out = arena_strndup(a, b.p + 1, b.n - 1);
    buf_finish(&b);
    return out;
}

/* Append the `info` of a session or message. Its id is the name of the file, which opencode finds
 * it by; another id in the file is stale. */
static bool put_info(struct storage *st, const char *before, const char *path, const char *id)
{
    static const char *const but[] = { "id", NULL };
    struct bough_arena *a = bough_arena_create();
    struct bough_str text;
    struct json j;
    bool fine = read_json(st, a, path, &text) && json_parse(a, text, &j, NULL) == BOUGH_OK;

    if (fine && json_type(j) != JSON_OBJECT) {
        placer_problem(st->p, 0, arena_printf(a, "%s: it is not an object", path));
        fine = false;
    }
    if (fine) {
        const char *stale = json_cstr(a, j, "id");

        if (stale && strcmp(stale, id) != 0)
            placer_problem(st->p, 0,
                           arena_printf(a,
                                        "%s: it says that its id is %.60s; the name of the "
                                        "file counts",
                                        path, stale));
        put_text(st, before, cstr_eq(stale, id) ? text : members_but(a, j, but, id_member(a, id)));
    }
    bough_arena_destroy(a);
    return fine;
}

static bool put_message(struct storage *st, const char *dir, const char *name, bool first)
{
    struct arena_mark mark = arena_mark(st->a);
    const char *id = arena_strndup(st->a, name, strlen(name) - 5);
    const char *parts = arena_printf(st->a, "%s/part/%s", st->root, id);
    struct names_list l = list_dir(st, parts);
    bool any = false;

    if (put_info(st, first ? "{\"info\":" : ",{\"info\":", fs_join(st->a, dir, name), id)) {
        buf_puts(&st->out, ",\"parts\":[");
        for (size_t i = 0; i < l.n; i++)
            any = put_file(st, any ? "," : "", fs_join(st->a, parts, l.at[i])) || any;
        buf_puts(&st->out, "]}\n");
        first = false;
    }
    arena_rewind(st->a, mark);
    return first;
}

/* Split ".../storage/session/<project>/<id>.json" into the root and the id. */
static bool is_session(struct storage *st, const char *path, const char **id)
{
    char *copy = arena_strdup(st->a, path), *cut[3];

    for (int i = 0; i < 3; i++) {
        cut[i] = strrchr(copy, '/');
        if (!cut[i])
            return false;
        *cut[i] = '\0';
    }
    if (strcmp(cut[2] + 1, "session") != 0 || strncmp(cut[0] + 1, "ses_", 4) != 0)
        return false;
    *id = arena_strndup(st->a, cut[0] + 1, strcspn(cut[0] + 1, "."));
    st->root = copy;
    return true;
}

/* Append the session's own file. A broken one is reported: its messages still make a session. */
static void put_head(struct storage *st, const char *path, const char *id, bool messages)
{
    if (put_info(st, "{\"info\":", path, id))
        return;
    if (messages)
        buf_puts(&st->out, arena_printf(st->a, "{\"info\":{%s}", id_member(st->a, id)));
    else
        st->rc =
            bough_fail(st->err, BOUGH_INVALID, "%.200s is broken, and there are no messages", path);
}

static void put_session(struct storage *st, const char *path, const char *id)
{
    const char *dir = arena_printf(st->a, "%s/message/%s", st->root, id);
    const char *todos = arena_printf(st->a, "%s/todo/%s.json", st->root, id);
    struct names_list l = list_dir(st, dir);
    bool first = true;

    st->p->out->format = "opencode";
    st->fd = fs_nameless();
    if (st->fd < 0) {
        st->rc = bough_fail(st->err, fs_rc(errno), "a temporary file: %s", strerror(errno));
        return;
    }
    put_head(st, path, id, l.n > 0);
    if (fs_exists(todos))
        put_file(st, ",\"todos\":", todos);
    buf_puts(&st->out, ",\"messages\":[");
    for (size_t i = 0; i < l.n && !st->rc; i++)
        first = put_message(st, dir, l.at[i], first);
    buf_puts(&st->out, "]}\n");
    flush_out(st);
}

enum bough_rc opencode_storage_read(struct placer *p, const char *path, int *fd,
                                    struct bough_error *err)
{
    struct storage st = { .p = p, .a = bough_arena_create(), .fd = -1, .err = err };
    const char *id;

    buf_init(&st.out, 2 * LIMIT_MESSAGE_BYTES);
    if (is_session(&st, path, &id))
        put_session(&st, path, id);
    if (st.rc && st.fd >= 0)
        close(st.fd);
    else if (st.fd >= 0)
        *fd = st.fd;
    buf_finish(&st.out);
    bough_arena_destroy(st.a);
    return st.rc;
}
