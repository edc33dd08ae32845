/* What the store remembers of itself: its last backup and its last check. */
#include "store/notes/state.h"

#include <bough/backup.h>
#include <string.h>

#include "base/json/json.h"
#include "base/json/write.h"
#include "base/limits.h"
#include "base/required.h"
#include "base/text/str.h"

/* ---- reading ---- */

/* Two processes that write a name for the first time may both add a record: the last one counts. */
struct reading {
    struct bough_arena *a;
    const char *name; /* only this one; NULL: all */
    int64_t ord, ver; /* of the record with `name` */
    struct bough_last_backup *backup;
    struct bough_last_fsck *fsck;
};

static int64_t number(struct json j, const char *key)
{
    int64_t n = 0;

    (void)json_i64(json_member(j, key), &n);
    return n;
}

static const char *text(struct bough_arena *a, struct json j, const char *key)
{
    const char *s = json_cstr(a, j, key);

    return s ? s : "";
}

static void take(struct reading *r, const struct state_body *b, struct json j)
{
    bool verified = false;

    if (strcmp(b->name, "backup") == 0 && b->time >= r->backup->time) {
        (void)json_bool(json_member(j, "verified"), &verified);
        *r->backup = (struct bough_last_backup){ .time = b->time,
                                                 .by = b->by,
                                                 .file = text(r->a, j, "file"),
                                                 .bytes = number(j, "bytes"),
                                                 .sessions = number(j, "sessions"),
                                                 .entries = number(j, "entries"),
                                                 .verified = verified };
    } else if (strcmp(b->name, "fsck") == 0 && b->time >= r->fsck->time) {
        *r->fsck = (struct bough_last_fsck){ .time = b->time,
                                             .by = b->by,
                                             .level = text(r->a, j, "level"),
                                             .errors = number(j, "errors"),
                                             .warnings = number(j, "warnings") };
    }
}

static bool each(void *user, const struct record_row *row)
{
    struct reading *r = user;
    struct bough_str copy = arena_str(r->a, row->body);
    struct state_body b;
    struct json j;

    if (row->deleted || body_read(state_fields, copy, &b, NULL))
        return true; /* a damaged one: fsck tells; nothing else stops for it */
    if (r->name && strcmp(b.name, r->name) == 0) {
        r->ord = row->ord;
        r->ver = row->ver;
    } else if (!r->name && !json_parse(r->a, b.data, &j, NULL)) {
        take(r, &b, j);
    }
    return true;
}

static enum bough_rc read_all(struct snap *snap, struct reading *r, struct bough_error *err)
{
    return snap->ops->record_scan(snap->v, 0, RECORD_STATE, 1, false, each, r, err);
}

enum bough_rc state_care(struct snap *snap, struct bough_arena *a, struct bough_last_backup *backup,
                         struct bough_last_fsck *fsck, struct bough_error *err)
{
    struct reading r = { .a = a, .backup = backup, .fsck = fsck };

    *backup = (struct bough_last_backup){ .file = "", .by = "" };
    *fsck = (struct bough_last_fsck){ .level = "", .by = "" };
    return read_all(snap, &r, err);
}

/* ---- writing ---- */

struct job {
    struct bough_store *s;
    struct state_body body;
};

static enum bough_rc prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    struct reading r = { .a = p->a, .name = j->body.name };
    struct record_row row = { .kind = RECORD_STATE };
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = read_all(snap, &r, err);
    if (rc)
        return rc;
    j->body.time = p->now;
    row.ord = r.ord;
    row.ver = r.ver;
    row.body = body_pack(p->a, state_fields, &j->body);
    txn_change(p, CHANGE_RECORD_PUT)->u.record = row;
    txn_changelog(p, CHANGELOG_RECORD, 0, 1);
    p->t->log.record = row.ord ? row.ord : NEW_RECORD(0);
    p->t->log.record_kind = RECORD_STATE;
    return BOUGH_OK;
}

static enum bough_rc put(struct bough_store *s, const char *name, struct buf *data,
                         struct bough_error *err)
{
    struct job j = { .s = s, .body = { .name = name, .by = s->principal, .data = buf_str(data) } };
    struct request r = { .prepare = prepare, .user = &j };
    struct bough_arena *a = bough_arena_create();
    enum bough_rc rc = write_run(s, a, &r, err);

    bough_arena_destroy(a);
    buf_finish(data);
    return rc;
}

enum bough_rc bough_backup_note(struct bough_store *s, const char *path,
                                const struct bough_backup_result *made, struct bough_error *err)
{
    REQUIRE(s && made, err);

    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *file = slash ? slash + 1 : path;
    struct json_writer w;
    struct buf data;

    if (cstr_empty(file))
        return bough_fail(err, BOUGH_INVALID, "a backup has the name of a file");
    buf_init(&data, LIMIT_DATA);
    jw_init(&w, &data);
    jw_obj(&w);
    jw_kv_cstr(&w, "file", file);
    jw_kv_i64(&w, "bytes", made->bytes);
    jw_kv_i64(&w, "sessions", made->sessions);
    jw_kv_i64(&w, "entries", made->entries);
    jw_kv_bool(&w, "verified", true); /* bough_backup() checks every copy */
    jw_end_obj(&w);
    return put(s, "backup", &data, err);
}

enum bough_rc bough_store_fsck_note(struct bough_store *s, enum bough_fsck_level level,
                                    const struct bough_store_fsck_result *report,
                                    struct bough_error *err)
{
    static const char *const levels[] = { "quick", "full", "deep" };

    REQUIRE(s && report, err);

    struct json_writer w;
    struct buf data;

    if ((unsigned)level > BOUGH_FSCK_DEEP)
        return bough_fail(err, BOUGH_INVALID, "there is no level %d of checks", (int)level);
    buf_init(&data, LIMIT_DATA);
    jw_init(&w, &data);
    jw_obj(&w);
    jw_kv_cstr(&w, "level", levels[level]);
    jw_kv_i64(&w, "errors", report->errors);
    jw_kv_i64(&w, "warnings", report->warnings);
    jw_end_obj(&w);
    return put(s, "fsck", &data, err);
}
