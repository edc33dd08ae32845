/* Full text of the memory backend: a sorted array of documents. An entry's words are computed at
 * every search. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/pack/pack.h"
#include "core/search/search.h"
#include "store/memory/memory.h"

static int64_t order_of(const struct mem_text *t)
{
    return fulltext_order(&(struct fulltext_row){ .no = t->no, .bid = t->bid });
}

/* Index of the first document whose order is `order` or higher. */
static size_t text_from(const struct memory *m, int64_t order)
{
    size_t lo = 0, hi = m->ntexts;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (order_of(&m->texts[mid]) < order)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void mem_del_text(struct memory *m, int64_t order)
{
    size_t i = text_from(m, order);
    struct mem_session *s;

    if (i == m->ntexts || order_of(&m->texts[i]) != order)
        return;
    s = m->texts[i].bid ? NULL : mem_session(m, m->texts[i].depth);
    if (s && s->title_order == order)
        s->title_order = 0;
    mem_free(m->texts[i].words);
    memmove(&m->texts[i], &m->texts[i + 1], (m->ntexts - i - 1) * sizeof *m->texts);
    m->ntexts--;
}

void mem_del_entry_text(struct memory *m, int64_t bid, int64_t depth)
{
    const struct mem_entry *e = mem_entry(m, bid, depth);
    struct pack_head h;

    if (e && pack_entry_head(str_make(e->body, e->len), &h))
        mem_del_text(m, fulltext_order(&(struct fulltext_row){ .no = h.no, .bid = bid }));
}

void mem_raw_text(struct memory *m, const struct fulltext_row *row)
{
    struct mem_session *s = row->bid ? NULL : mem_session(m, row->depth);
    char *words = NULL;
    size_t i;

    if (!row->bid && row->words) {
        struct bough_str w = row->words->field[SEARCH_TITLE];

        words = mem_alloc(w.n + 1);
        memcpy(words, w.p, w.n);
        words[w.n] = '\0';
    }
    mem_del_text(m, fulltext_order(row));
    i = text_from(m, fulltext_order(row));
    m->texts = mem_grow(m->texts, &m->texts_cap, m->ntexts, sizeof *m->texts);
    memmove(&m->texts[i + 1], &m->texts[i], (m->ntexts - i) * sizeof *m->texts);
    m->texts[i] = (struct mem_text){ row->no, row->bid, row->depth, row->time, words };
    m->ntexts++;
    if (s)
        s->title_order = fulltext_order(row);
}

void mem_put_text(struct memory *m, const struct fulltext_row *row)
{
    struct mem_session *s;

    if (row->bid) {
        if (row->words && mem_entry(m, row->bid, row->depth))
            mem_raw_text(m, row);
        return;
    }
    s = mem_session(m, row->depth);
    if (!s)
        return;
    mem_del_text(m, s->title_order);
    if (row->words && !s->row.purged)
        mem_raw_text(m, row);
}

void mem_clear_texts(struct memory *m)
{
    while (m->ntexts)
        mem_del_text(m, order_of(&m->texts[m->ntexts - 1]));
    m->fulltext_mark = 0;
}

/* ---- reading ---- */

static void words_of_title(const struct mem_text *t, struct search_words *w)
{
    for (int f = 0; f < SEARCH_FIELDS; f++)
        w->field[f] = str_make(NULL, 0);
    w->field[SEARCH_TITLE] = str_of(t->words);
}

bool mem_scan_texts(struct memory *m, raw_fn fn, void *user)
{
    for (size_t i = 0; i < m->ntexts; i++) {
        const struct mem_text *t = &m->texts[i];
        struct raw_row row = { .table = RAW_FULLTEXT };
        struct search_words words;

        row.u.text =
            (struct fulltext_row){ .no = t->no, .bid = t->bid, .depth = t->depth, .time = t->time };
        if (t->words) {
            words_of_title(t, &words);
            row.u.text.words = &words;
        }
        if (!fn(user, &row))
            return false;
    }
    return true;
}

enum bough_rc memory_text_mark(struct snapshot *v, int64_t *no, struct bough_error *err)
{
    (void)err;
    *no = memory_in(v)->fulltext_mark;
    return BOUGH_OK;
}

static bool among(int64_t v, const int64_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] == v)
            return true;
    return false;
}

static bool in_place(const struct fulltext_query *q, const struct mem_text *t)
{
    if (q->q->since && t->time < q->q->since)
        return false;
    if (q->q->before && t->time >= q->q->before)
        return false;
    return !q->within ||
           (t->bid ? among(t->bid, q->bids, q->nbids) : among(t->depth, q->sids, q->nsids));
}

/* Is it one of the wanted roles and kinds? A title has neither role nor kind, so `h` is NULL. */
static bool of_kind(const struct search_query *q, const struct pack_head *h)
{
    unsigned role = h ? 1u << h->role : 0, kind = h ? 1u << h->kind : 0;

    return (!q->roles || q->roles & role) && !(q->not_roles & role) &&
           (!q->kinds || q->kinds & kind) && !(q->not_kinds & kind);
}

static bool matches(struct memory *m, struct bough_arena *tmp, const struct search_query *q,
                    const struct mem_text *t)
{
    const struct mem_entry *row;
    struct search_words words;
    struct pack_head h;
    struct bough_entry e;

    if (!t->bid) {
        words_of_title(t, &words);
        return of_kind(q, NULL) && search_match(q, &words);
    }
    row = mem_entry(m, t->bid, t->depth);
    if (!row || !pack_entry_head(str_make(row->body, row->len), &h) || !of_kind(q, &h))
        return false;
    if (!q->n)
        return true;
    bough_arena_reset(tmp);
    return search_packed_words(tmp, str_make(row->body, row->len), &e, &words) &&
           search_match(q, &words);
}

enum bough_rc memory_text_find(struct snapshot *v, const struct fulltext_query *q, fulltext_fn fn,
                               void *user, struct bough_error *err)
{
    const struct mem_snapshot *mv = (const struct mem_snapshot *)v;
    struct memory *m = memory_in(v);
    struct bough_arena *tmp = bough_arena_create();
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = text_from(m, q->before); i-- > 0 && !rc;) {
        const struct mem_text *t = &m->texts[i];
        struct fulltext_row row = {
            .no = t->no, .bid = t->bid, .depth = t->depth, .time = t->time
        };

        if (in_place(q, t) && matches(m, tmp, q->q, t) && !fn(user, &row))
            break;
        if (i % 256 == 0 && (mono_us() >= mv->until_us || is_cancelled(mv->cancel)))
            rc = bough_fail(err, is_cancelled(mv->cancel) ? BOUGH_CANCELLED : BOUGH_TIMEOUT,
                            "searching was cancelled, or took longer than this call may");
    }
    bough_arena_destroy(tmp);
    return rc;
}
