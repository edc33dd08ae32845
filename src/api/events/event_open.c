/* Events of open messages: their parts so far, and what is added to them. */
#include <string.h>

#include "api/events/event.h"
#include "api/kit/forms.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/part/draft.h"

/* One followed message: a draft of everything sent so far, with the same offsets as the store's. */
struct one {
    struct one *next;
    char id[BOUGH_ID_LEN + 1];
    struct event_about about;
    struct draft draft;
    size_t *begun; /* per part: length of its text when the part was added */
    size_t nbegun;
};

struct event_open {
    struct one *first;
    size_t n;
};

struct event_open *event_open_create(void)
{
    return mem_zalloc(sizeof(struct event_open));
}

static void free_one(struct one *m)
{
    draft_finish(&m->draft);
    mem_free(m->begun);
    mem_free(m);
}

void event_open_destroy(struct event_open *o)
{
    struct one *next;

    for (struct one *m = o ? o->first : NULL; m; m = next) {
        next = m->next;
        free_one(m);
    }
    mem_free(o);
}

size_t event_open_count(const struct event_open *o)
{
    return o->n;
}

/* ---- sending ---- */

struct piece {
    const char *message;
    struct event_about *about;
    size_t part;
    size_t offset;          /* length of the text before this piece; whole part: of its text */
    struct bough_str bytes; /* text, or a part's JSON */
    enum bough_part_type type;
    bool whole;
};

/* With `at`, the event takes the next position. Replayed pieces pass NULL and have no position. */
static void tell(struct event_reader *r, const struct piece *p, int64_t *at)
{
    struct event_about about = *p->about;
    struct http_event e = { 0 };
    struct json_writer w;
    struct buf b;

    about.name = p->whole ? EVENT_PART_UPDATED : EVENT_PART_DELTA;
    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", event_names[about.name]);
    jw_kv_cstr(&w, "session", about.session);
    jw_kv_cstr(&w, "message", p->message);
    jw_kv_i64(&w, "index", (int64_t)p->part);
    jw_kv_i64(&w, "offset", (int64_t)p->offset);
    if (p->whole) {
        jw_kv_raw(&w, "part", p->bytes);
        jw_key(&w, "view");
        form_part_view(&w, p->message, p->part, &(struct bough_part){ p->type, p->bytes }, 0);
    } else {
        jw_kv_str(&w, "delta", p->bytes);
    }
    jw_end_obj(&w);
    jw_drop_breaks(&w);
    e.name = event_names[about.name];
    e.data = buf_str(&b);
    e.at = at ? ++*at : 0;
    r->sink.take(r->sink.user, &e, &about);
    buf_finish(&b);
}

static size_t plain_size(struct bough_part part)
{
    struct bough_arena *tmp = bough_arena_create();
    size_t n = bough_part_plain(tmp, &part).n;

    bough_arena_destroy(tmp);
    return n;
}

static void tell_delta(struct event_reader *r, struct one *m, const struct bough_delta *d,
                       int64_t *at)
{
    struct piece p = { .message = m->id,
                       .about = &m->about,
                       .part = d->part,
                       .offset = m->begun[d->part],
                       .bytes = d->bytes,
                       .type = m->draft.parts[d->part].type,
                       .whole = d->kind != BOUGH_STEP_TEXT };

    if (!p.whole)
        p.offset += (size_t)d->at;
    tell(r, &p, at);
}

/* ---- following ---- */

static bool take(struct one *m, const struct bough_delta *d)
{
    struct bough_step step = { .kind = d->kind, .part = d->part, .bytes = d->bytes };

    if (draft_step(&m->draft, &step, NULL))
        return false;
    if (d->kind == BOUGH_STEP_PART) {
        m->begun = mem_realloc(m->begun, mem_array(m->nbegun + 1, sizeof *m->begun));
        m->begun[m->nbegun++] =
            plain_size((struct bough_part){ m->draft.parts[d->part].type, d->bytes });
    }
    return true;
}

/* Another writer took the message over with less text than was sent: start again from its
 * beginning. */
static void again(struct one *m)
{
    draft_finish(&m->draft);
    draft_init(&m->draft);
    m->nbegun = 0;
}

/* Sealed messages are left to event_open_sealed(), which is called with the seal's row. */
static void look(struct event_reader *r, struct one *m, bool telling, int64_t *at)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_message_follow_result f;
    enum bough_rc rc =
        bough_message_follow(r->store, tmp, m->id, (int64_t)draft_size(&m->draft), 0, &f, NULL);

    if (rc == BOUGH_INVALID)
        again(m);
    for (size_t i = 0; !rc && i < f.ndeltas; i++)
        if (take(m, &f.deltas[i]) && telling)
            tell_delta(r, m, &f.deltas[i], at);
    bough_arena_destroy(tmp);
}

void event_open_add(struct event_open *o, struct event_reader *r, const char *id, bool tell_it,
                    int64_t *at)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_entry *e;
    struct one *m;

    if (bough_entry_get(r->store, tmp, NULL, id, &e, NULL) == BOUGH_OK && e->open) {
        m = mem_zalloc(sizeof *m);
        memcpy(m->id, e->id, sizeof m->id);
        event_about(r, e->session, &m->about);
        draft_init(&m->draft);
        m->next = o->first;
        o->first = m;
        o->n++;
        look(r, m, tell_it, at);
    }
    bough_arena_destroy(tmp);
}

void event_open_look(struct event_open *o, struct event_reader *r, int64_t *at)
{
    for (struct one *m = o->first; m; m = m->next)
        look(r, m, true, at);
}

/* ---- sealing ---- */

/* Send the rest of a sealed part: the end of its text as a delta, or the whole part when it
 * differs. */
static void tell_rest(struct event_reader *r, struct one *m, size_t i, struct bough_part was,
                      struct bough_part is, int64_t *at)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_str before = bough_part_plain(tmp, &was), after = bough_part_plain(tmp, &is);
    struct piece p = { .message = m->id, .about = &m->about, .part = i, .offset = after.n };

    p.whole =
        !before.p || !after.n || after.n < before.n || memcmp(before.p, after.p, before.n) != 0;
    p.bytes = is.json;
    p.type = is.type;
    if (!p.whole) {
        p.offset = before.n;
        p.bytes = str_make(after.p + before.n, after.n - before.n);
    }
    if (p.whole ? !str_eq(was.json, is.json) : p.bytes.n > 0)
        tell(r, &p, at);
    bough_arena_destroy(tmp);
}

void event_open_sealed(struct event_open *o, struct event_reader *r, const char *id, int64_t *at)
{
    struct bough_arena *tmp;
    struct bough_part *was;
    struct bough_entry *e;
    struct one **link = &o->first, *m;

    while (*link && strcmp((*link)->id, id) != 0)
        link = &(*link)->next;
    m = *link;
    if (!m)
        return;
    tmp = bough_arena_create();
    was = draft_parts(tmp, &m->draft);
    if (bough_entry_get(r->store, tmp, NULL, id, &e, NULL) == BOUGH_OK)
        for (size_t i = 0; i < e->nparts; i++)
            tell_rest(r, m, i,
                      i < m->draft.nparts ? was[i]
                                          : (struct bough_part){ BOUGH_PART_OTHER, { "", 0 } },
                      e->parts[i], at);
    bough_arena_destroy(tmp);
    *link = m->next;
    o->n--;
    free_one(m);
}

/* ---- catching up ---- */

static int64_t *seen_of(struct event_seen *seen, const char *id)
{
    size_t i = 0;

    while (i < seen->n && strcmp(seen->at[i].id, id) != 0)
        i++;
    if (i == seen->n) {
        seen->at = mem_realloc(seen->at, mem_array(seen->n + 1, sizeof *seen->at));
        memcpy(seen->at[i].id, id, sizeof seen->at[i].id);
        seen->at[i].offset = -1;
        seen->n++;
    }
    return &seen->at[i].offset;
}

static void show_all(struct event_reader *r, struct bough_arena *tmp, struct one *m)
{
    struct bough_part *parts = draft_parts(tmp, &m->draft);

    for (size_t i = 0; i < m->draft.nparts; i++)
        tell(r,
             &(struct piece){ .message = m->id,
                              .about = &m->about,
                              .part = i,
                              .offset = m->begun[i] + m->draft.parts[i].text,
                              .bytes = parts[i].json,
                              .type = parts[i].type,
                              .whole = true },
             NULL);
}

void event_open_show(struct event_open *o, struct event_reader *r, struct event_seen *seen)
{
    for (struct one *m = o->first; m; m = m->next) {
        struct bough_arena *tmp = bough_arena_create();
        int64_t *from = seen_of(seen, m->id);
        struct bough_delta *deltas;
        size_t n = 0;

        if (*from < 0 || *from > (int64_t)draft_size(&m->draft)) {
            show_all(r, tmp, m);
        } else {
            deltas = draft_deltas(tmp, &m->draft, (size_t)*from, &n);
            for (size_t i = 0; i < n; i++)
                tell_delta(r, m, &deltas[i], NULL);
        }
        *from = (int64_t)draft_size(&m->draft);
        bough_arena_destroy(tmp);
    }
}
