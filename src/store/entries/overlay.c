/* Corrections and compacted outputs: custom entries about a sealed entry (design: U13). */
#include <string.h>

#include "base/json/write.h"
#include "base/limits.h"
#include "base/required.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "core/turns/turns.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/write/append.h"

/* The message that is to be changed: on a path of the session, and sealed. */
static enum bough_rc find_target(struct bough_store *s, struct bough_arena *a, const char *session,
                                 const char *entry, struct bough_entry **out,
                                 struct bough_error *err)
{
    enum bough_rc rc = bough_entry_get(s, a, session, entry, out, err);

    if (!rc && (*out)->kind != BOUGH_ENTRY_MESSAGE)
        return bough_fail(err, BOUGH_INVALID, "entry %s is not a message", (*out)->id);
    if (!rc && (*out)->open)
        return bough_fail(err, BOUGH_CONFLICT, "message %s is still being written", (*out)->id);
    return rc;
}

/* Append {"customType": type, "data": {"target": id, ...}}; `w` stands behind the target. */
static struct json_writer begin(struct buf *b, const char *type, const char *target)
{
    struct json_writer w;

    buf_init(b, LIMIT_DATA);
    jw_init(&w, b);
    jw_obj(&w);
    jw_kv_cstr(&w, "customType", type);
    jw_key(&w, "data");
    jw_obj(&w);
    jw_kv_cstr(&w, "target", target);
    return w;
}

static enum bough_rc append(struct bough_store *s, struct bough_arena *a, const char *session,
                            struct buf *b, struct json_writer *w, char id[BOUGH_ID_LEN + 1],
                            struct bough_error *err)
{
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_CUSTOM };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out = { 0 };
    enum bough_rc rc;

    jw_end_obj(w);
    jw_end_obj(w);
    e.data = buf_str(b);
    rc = b->over ? bough_fail(err, BOUGH_TOO_LARGE, "a correction has at most %lld bytes",
                              (long long)LIMIT_DATA)
                 : append_all(s, a, session, &in, &(struct append_how){ 0 }, &out, err);
    buf_finish(b);
    if (!rc && out.ids)
        memcpy(id, out.ids[0], BOUGH_ID_LEN + 1);
    return rc;
}

enum bough_rc bough_entry_amend(struct bough_store *s, const char *session, const char *entry,
                                const struct bough_str *parts, size_t n, char id[BOUGH_ID_LEN + 1],
                                struct bough_error *err)
{
    REQUIRE(s && (parts || !n) && id, err);

    struct bough_arena *tmp = bough_arena_create();
    enum bough_part_type type;
    struct bough_entry *e;
    struct json_writer w;
    struct buf b;
    enum bough_rc rc = n ? BOUGH_OK : bough_fail(err, BOUGH_INVALID, "a correction needs a part");

    for (size_t i = 0; i < n && !rc; i++)
        rc = bough_part_check(parts[i], &type, err);
    if (!rc)
        rc = find_target(s, tmp, session, entry, &e, err);
    if (!rc) {
        w = begin(&b, OVERLAY_AMEND, e->id);
        jw_key(&w, "parts");
        jw_arr(&w);
        for (size_t i = 0; i < n; i++)
            jw_raw(&w, parts[i]);
        jw_end_arr(&w);
        rc = append(s, tmp, session, &b, &w, id, err);
    }
    bough_arena_destroy(tmp);
    return rc;
}

/* Is there an output to remove, in this part or in any? */
static bool has_output(struct bough_arena *a, const struct bough_entry *e, int64_t part)
{
    if (*view_message_call(a, e))
        return true;
    for (size_t i = 0; i < e->nparts; i++)
        if ((part < 0 || (size_t)part == i) && overlay_clears(&e->parts[i]))
            return true;
    return false;
}

enum bough_rc bough_entry_compact(struct bough_store *s, const char *session, const char *entry,
                                  int64_t part, char id[BOUGH_ID_LEN + 1], struct bough_error *err)
{
    REQUIRE(s && id, err);

    struct bough_arena *tmp = bough_arena_create();
    struct bough_entry *e;
    struct json_writer w;
    struct buf b;
    enum bough_rc rc = find_target(s, tmp, session, entry, &e, err);

    if (!rc && !has_output(tmp, e, part))
        rc = bough_fail(err, BOUGH_INVALID, "entry %s has no output of a tool there", e->id);
    if (!rc) {
        w = begin(&b, OVERLAY_COMPACTED, e->id);
        if (part >= 0)
            jw_kv_i64(&w, "part", part);
        rc = append(s, tmp, session, &b, &w, id, err);
    }
    bough_arena_destroy(tmp);
    return rc;
}
