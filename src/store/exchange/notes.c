/* Entries of an exchange that are not messages: the system text, parameters, what differs from the
 * stored history, and the marker of a compaction. */
#include <string.h>

#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "core/match/window.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "core/turns/turns.h"
#include "core/wire/request.h"
#include "store/exchange/exchange.h"

enum {
    WHOLE_MOST = 4096,  /* bytes of a system text that is always kept whole */
    INLINE_MOST = 8192, /* bytes of parameters; more become an attachment, once for all sessions */
    NOTES_MOST = 256,   /* custom entries that are read in search of a note */
};

static const char system_note[] = "{\"customType\":\"bough.system\"";

struct bough_entry_new *entries_push(struct entries *l)
{
    l->at = arena_room(l->a, l->at, l->n, sizeof *l->at);
    l->at[l->n] = (struct bough_entry_new){ 0 };
    return &l->at[l->n++];
}

/* {"customType":type,"data":data} as a custom entry; `data` is raw JSON. */
static struct bough_entry_new *push_custom(struct entries *to, const char *type,
                                           struct bough_str data)
{
    struct bough_entry_new *e = entries_push(to);
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "customType", type);
    jw_kv_raw(&w, "data", data);
    jw_end_obj(&w);
    e->kind = BOUGH_ENTRY_CUSTOM;
    e->data = text_keep(to->a, &b);
    buf_finish(&b);
    return e;
}

struct bough_entry_new notes_rest(struct bough_arena *a, const struct bough_entry_new *in,
                                  size_t part)
{
    struct bough_entry_new e = *in;

    if (!part)
        return e;
    part = part < e.nparts ? part : e.nparts;
    e.parts += part;
    e.nparts -= part;
    e.data = view_with_member(a, e.data, "bough.split", str_of(arena_printf(a, "%zu", part)));
    return e;
}

/* ---- what was noted last ---- */

struct noticing {
    struct snap *snap;
    struct bough_arena *a;
    struct noted *out;
    size_t read;
    enum bough_rc rc;
};

/* The text of a note: its parts, or a difference to the note at depth `of`. */
static struct bough_str note_text(struct bough_arena *a, struct json data, struct bough_str base)
{
    struct json_iter it = json_iter(data);
    struct bough_str *parts = arena_array(a, json_count(data) + 1, sizeof *parts), middle;
    int64_t head = 0, tail = 0;
    size_t n = 0;

    if (json_type(data) == JSON_ARRAY) {
        while (json_next(&it))
            parts[n++] = json_raw(it.value);
        return wire_system_text(a, parts, n);
    }
    if (!json_i64(json_member(data, "head"), &head) ||
        !json_i64(json_member(data, "tail"), &tail) ||
        !json_str(a, json_member(data, "middle"), &middle) || head < 0 || tail < 0 ||
        (size_t)head + (size_t)tail > base.n)
        return str_of("");
    return str_of(arena_printf(a, "%.*s%.*s%.*s", (int)head, base.p, (int)middle.n, middle.p,
                               (int)tail, base.p + base.n - tail));
}

static enum bough_rc load_on_path(struct snap *snap, struct bough_arena *a, struct bough_head at,
                                  int64_t depth, struct bough_entry **out, struct bough_error *err)
{
    int64_t owner = 0;
    enum bough_rc rc = path_owner(snap, at, depth, &owner, err);

    if (!rc && !owner)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no entry at depth %lld of this path",
                        (long long)depth);
    return rc ? rc : entry_load(snap, a, (struct bough_head){ owner, depth }, out, err);
}

/* The note itself, and the depth of the whole note that it is based on; 0: it is whole. */
static enum bough_rc read_note(struct snap *snap, struct bough_arena *a, struct bough_head at,
                               struct bough_str *text, int64_t *of, struct bough_error *err)
{
    struct bough_entry *e, *base;
    struct bough_str under = { "", 0 };
    struct json data;
    enum bough_rc rc = entry_load(snap, a, at, &e, err);

    if (rc)
        return rc;
    data = json_member(view_data(a, e), "data");
    *of = 0;
    if (json_i64(json_member(data, "of"), of)) {
        rc = load_on_path(snap, a, at, *of, &base, err);
        if (rc)
            return rc;
        under = note_text(a, json_member(view_data(a, base), "data"), under);
    }
    *text = note_text(a, data, under);
    return BOUGH_OK;
}

enum bough_rc note_system_text(struct snap *snap, struct bough_arena *a, struct bough_head at,
                               struct bough_str *out, struct bough_error *err)
{
    int64_t of;

    return read_note(snap, a, at, out, &of, err);
}

static bool each_custom(void *user, const struct entry_row *row)
{
    struct noticing *n = user;
    struct bough_entry e;
    struct bough_str text;
    int64_t of;

    if (++n->read > NOTES_MOST)
        return false;
    n->rc = entry_fill(n->snap, n->a, row, 0, "", &e, NULL);
    if (n->rc || !str_starts(e.data, system_note))
        return !n->rc;
    n->rc = read_note(n->snap, n->a, e.at, &text, &of, NULL);
    if (!n->rc && text.n) {
        n->out->system_at = e.at.depth;
        n->out->system_sum = short_digest(text.p, text.n);
    }
    return false;
}

/* No call tells: look for the last system note on the path. */
static enum bough_rc search_path(struct snap *snap, struct bough_arena *a, struct bough_head at,
                                 struct noted *out, struct bough_error *err)
{
    struct noticing n = { snap, a, out, 0, BOUGH_OK };
    struct segs segs;
    enum bough_rc rc = path_segs(snap, a, at, 1, &segs, err);

    for (size_t i = 0; i < segs.n && !rc && !n.rc && !out->system_at && n.read <= NOTES_MOST; i++) {
        struct entry_range range = { .bid = segs.at[i].bid,
                                     .from = segs.at[i].from,
                                     .to = segs.at[i].to,
                                     .backwards = true,
                                     .kinds = 1 << BOUGH_ENTRY_CUSTOM };

        rc = snap->ops->entry_scan(snap->v, &range, each_custom, &n, err);
    }
    return rc;
}

bool call_of_entry(struct snap *snap, struct bough_arena *a, struct bough_head at,
                   struct call_body *out)
{
    struct branch_row b;
    struct pack_head h;
    struct record_row row;

    return at.branch && !snap_branch(snap, at.branch, &b, NULL) &&
           !entry_head_at(snap, at, &h, NULL) && h.call_ord &&
           !snap->ops->record_get(snap->v, a, b.sid, RECORD_CALL, h.call_ord, &row, NULL) &&
           !body_read(call_fields, row.body, out, NULL) && out->scope;
}

enum bough_rc notes_last(struct snap *snap, struct bough_arena *a, const struct where *w,
                         struct noted *out, struct bough_error *err)
{
    struct call_body call;

    *out = (struct noted){ 0 };
    if (!w->at.branch)
        return BOUGH_OK;
    if (call_of_entry(snap, a, w->reply, &call)) {
        *out = (struct noted){ call.system_at, call.system_sum, call.request_at, call.request_sum };
        return BOUGH_OK;
    }
    return search_path(snap, a, w->at, out, err);
}

/* ---- the system text ---- */

/* Bytes at the beginning that are equal, cut at a character. */
static size_t common_head(struct bough_str a, struct bough_str b)
{
    size_t n = 0, most = a.n < b.n ? a.n : b.n;

    while (n < most && a.p[n] == b.p[n])
        n++;
    while (n && n < a.n && ((unsigned char)a.p[n] & 0xc0) == 0x80)
        n--;
    return n;
}

static size_t common_tail(struct bough_str a, struct bough_str b, size_t head)
{
    size_t n = 0, most = (a.n < b.n ? a.n : b.n) - head;

    while (n < most && a.p[a.n - 1 - n] == b.p[b.n - 1 - n])
        n++;
    while (n && ((unsigned char)a.p[a.n - n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* What is new in a text that begins and ends like the one before; empty: too little is common. */
static struct bough_str difference(struct bough_arena *a, struct bough_str text,
                                   struct bough_str base, int64_t of)
{
    size_t head = common_head(text, base), tail = common_tail(text, base, head);
    struct bough_str out = { "", 0 };
    struct json_writer w;
    struct buf b;

    if (head + tail < text.n / 2)
        return out;
    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_i64(&w, "of", of);
    jw_kv_i64(&w, "head", (int64_t)head);
    jw_kv_i64(&w, "tail", (int64_t)tail);
    jw_kv_str(&w, "middle", str_make(text.p + head, text.n - head - tail));
    jw_end_obj(&w);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

static struct bough_str whole_note(struct bough_arena *a,
                                   const struct bough_exchange_begin_options *in)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_arr(&w);
    for (size_t i = 0; i < in->nsystem; i++)
        jw_raw(&w, in->system[i]);
    jw_end_arr(&w);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

enum bough_rc notes_system(struct snap *snap, const struct sent *sent,
                           const struct bough_exchange_begin_options *in, const struct where *w,
                           int64_t depth, struct noted *noted, struct entries *to,
                           struct bough_error *err)
{
    struct bough_str data = { "", 0 }, base;
    int64_t of = 0, owner = 0;
    enum bough_rc rc = BOUGH_OK;

    if (!sent->system_sum || sent->system_sum == noted->system_sum)
        return BOUGH_OK;
    if (sent->system.n > WHOLE_MOST && noted->system_at)
        rc = path_owner(snap, w->at, noted->system_at, &owner, err);
    if (!rc && owner)
        rc =
            read_note(snap, to->a, (struct bough_head){ owner, noted->system_at }, &base, &of, err);
    if (!rc && of) { /* differences are to a whole note: reading one takes two entries */
        int64_t under = 0;

        rc = path_owner(snap, w->at, of, &under, err);
        if (!rc)
            rc = note_system_text(snap, to->a, (struct bough_head){ under, of }, &base, err);
    }
    if (rc)
        return rc;
    if (owner)
        data = difference(to->a, sent->system, base, of ? of : noted->system_at);
    push_custom(to, "bough.system", data.n ? data : whole_note(to->a, in));
    noted->system_at = depth;
    noted->system_sum = sent->system_sum;
    return BOUGH_OK;
}

/* ---- parameters ---- */

void notes_request(const struct bough_exchange_begin_options *in, const struct sent *sent,
                   int64_t depth, struct noted *noted, struct entries *to)
{
    static const char front[] = "{\"type\":\"file\",\"mime\":\"application/json\",\"filename\":"
                                "\"request.json\",\"url\":\"data:application/json;base64,";
    size_t n = base64_length(in->parameters.n), skip = sizeof front - 1;
    struct bough_entry_new *e;
    struct bough_str *part;
    char *text;

    if (!sent->parameters_sum || sent->parameters_sum == noted->request_sum)
        return;
    noted->request_at = depth;
    noted->request_sum = sent->parameters_sum;
    if (in->parameters.n <= INLINE_MOST) {
        push_custom(to, "bough.request", in->parameters);
        return;
    }
    e = push_custom(to, "bough.request", str_of("{}"));
    text = arena_alloc(to->a, skip + n + 3);
    memcpy(text, front, skip);
    base64_encode(in->parameters.p, in->parameters.n, text + skip);
    memcpy(text + skip + n, "\"}", 3);
    part = arena_zalloc(to->a, sizeof *part);
    *part = str_make(text, skip + n + 2);
    e->parts = part;
    e->nparts = 1;
}

/* ---- what differs ---- */

/* Has the path this amend already? */
static bool is_amended(struct bough_arena *a, const struct stored *s, const struct differs *d,
                       struct bough_str part)
{
    for (size_t i = s ? s->nall : 0; i-- > 0;) {
        const struct bough_entry *e = &s->all[i];
        struct json data, list;
        struct json_iter it;

        if (e->kind != BOUGH_ENTRY_CUSTOM || !memmem(e->data.p, e->data.n, "\"bough.amend\"", 13))
            continue;
        data = json_member(view_data(a, e), "data");
        list = json_member(data, "parts");
        it = json_iter(list);
        if (json_is(json_member(data, "target"), d->entry) && json_next(&it) &&
            str_eq(json_raw(it.value), part))
            return true;
    }
    return false;
}

/* Is there something in the sent unit that the store does not have? */
static bool brings_something(const struct sent *sent, const struct where *w,
                             const struct differs *d)
{
    const struct stored *s = w->stored;

    if (d->what == VARIANT_REASONING || !*d->entry)
        return false;
    if (d->what != VARIANT_CUT || !s)
        return true;
    for (size_t i = 0; i < s->h.n; i++) /* the beginning of a cut reply is nothing new */
        if (strcmp(s->h.entries[i].id, d->entry) == 0)
            for (size_t k = s->h.units.messages[i].first; k < units_last(&s->h.units, i); k++)
                if (s->h.units.at[k].part == d->part)
                    return sent->h.units.at[d->sent].text.n > s->h.units.at[k].text.n;
    return false;
}

static void push_amend(struct entries *to, const struct differs *d, struct bough_str part)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "target", d->entry);
    jw_kv_i64(&w, "part", (int64_t)d->part);
    jw_kv_cstr(&w, "variant", variant_name(d->what));
    jw_key(&w, "parts");
    jw_arr(&w);
    jw_raw(&w, part);
    jw_end_arr(&w);
    jw_end_obj(&w);
    if (!b.over)
        push_custom(to, OVERLAY_AMEND, buf_str(&b));
    buf_finish(&b);
}

size_t notes_differs(const struct sent *sent, const struct where *w, struct entries *to,
                     struct json_writer *told)
{
    size_t n = 0;

    for (size_t i = 0; i < w->ndiffers; i++) {
        const struct differs *d = &w->differs[i];
        const struct unit *u = &sent->h.units.at[d->sent];
        const struct bough_entry *e = &sent->h.entries[u->message];
        struct bough_str part = u->part < e->nparts ? e->parts[u->part].json : str_of("null");

        if (is_amended(to->a, w->stored, d, part))
            continue;
        if (brings_something(sent, w, d))
            push_amend(to, d, part);
        n++;
        if (!told)
            continue;
        jw_obj(told);
        jw_kv_cstr(told, "entry", d->entry);
        jw_kv_cstr(told, "what", variant_name(d->what));
        jw_end_obj(told);
    }
    return n;
}

void notes_marker(const struct sent *sent, const struct where *w, struct entries *to)
{
    struct place_input in = { &sent->h, &w->stored->h, PLACE_BY_KEY, NULL, 0 };
    struct bough_entry_new *e = entries_push(to);

    e->kind = BOUGH_ENTRY_COMPACTION;
    e->data = window_write(to->a, &in, w->place.window);
    if (w->place.keep != SIZE_MAX)
        e->keep_from = w->stored->slots[w->place.keep].depth;
}
