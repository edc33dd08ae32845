/* The text projector: log rows become documents, a slice at a time. */
#include "store/text.h"

#include <time.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "core/search.h"
#include "store/ahead.h"

enum {
    SLICE_IDLE = 64,         /* documents: a writer that comes now waits two milliseconds */
    SLICE_LARGE = 512,       /* when there is much to do, or somebody waits for it */
    SLICE_BYTES = 512 * 1024 /* of words: large entries make short slices */
};
enum { SLICE_ROWS = 65536 }; /* of the log, most of which have no text */
enum { SLICES_IDLE = 32 };   /* between two syncs */
enum { AGAIN_US = 100000 };  /* rest after a failure */
enum { QUIET_ROWS = 256 };   /* rows without text that are not worth a write */

/* ---- what a log row changes ---- */

enum text_of {
    TEXT_NONE,
    TEXT_ENTRIES, /* n entries that end at (bid, depth), each with its own number */
    TEXT_ENTRY,   /* the one at (bid, depth), whatever its number */
    TEXT_TITLE,   /* of session sid */
};

/* Deleting and restoring change no text: whether an entry is shown is looked at when it is found. A
 * purge removes what it purges by itself. */
static enum text_of text_of(int64_t kind)
{
    switch ((enum log_kind)kind) {
    case LOG_APPEND:
        return TEXT_ENTRIES;
    case LOG_SEAL: /* the text of an open message counts from here on */
        return TEXT_ENTRY;
    case LOG_SESSION_NEW:
    case LOG_SESSION:
        return TEXT_TITLE;
    case LOG_OPEN:
    case LOG_HEAD:
    case LOG_STATUS:
    case LOG_DELETE:
    case LOG_RESTORE:
    case LOG_PURGE:
    case LOG_ENTRY_DELETE:
    case LOG_ENTRY_RESTORE:
    case LOG_RECORD:
    case LOG_ADJUST:
    case LOG_CALL_DELETE:
        return TEXT_NONE;
    }
    return TEXT_NONE;
}

/* ---- a slice ---- */

struct slicing {
    struct prep p;
    struct text_slice *out;
    struct bough_arena *tmp; /* of one entry */
    size_t documents;        /* at most */
    int64_t sid;             /* of the row that is looked at */
    struct log_row *waiting; /* rows that are looked at together */
    size_t nwaiting, together;
    struct ahead ahead;
    size_t rows, bytes;
    bool full;
    enum bough_rc rc;
    struct bough_error *err;
};

static void put(struct slicing *s, const struct text_row *row)
{
    txn_change(&s->p, CHANGE_TEXT_PUT)->u.text = *row;
    s->out->documents++;
    for (int f = 0; row->words && f < SEARCH_FIELDS; f++)
        s->bytes += row->words->field[f].n;
    s->full = s->out->documents >= s->documents || s->bytes >= SLICE_BYTES;
}

/* As it is at the snapshot: a title that changes later has a later row. */
static void add_title(struct slicing *s, int64_t sid, int64_t no, int64_t time)
{
    struct text_row doc = { .no = no, .depth = sid, .time = time };
    struct search_words *words = arena_alloc(s->p.a, sizeof *words);
    struct session_row session;
    struct session_body body;

    bough_arena_reset(s->tmp);
    if (s->p.snap.ops->session_get(s->p.snap.v, s->tmp, sid, &session, NULL) != BOUGH_OK ||
        session.purged || body_read(session_fields, session.body, &body, NULL) != BOUGH_OK)
        return;
    if (search_words(s->p.a, &(struct search_piece){ SEARCH_TITLE, -1, str_of(body.title) }, 1,
                     words))
        doc.words = words;
    put(s, &doc);
}

static void add_entry(struct slicing *s, const struct entry_row *row, const struct bough_entry *e)
{
    struct search_words *words = arena_alloc(s->p.a, sizeof *words);
    struct search_pieces pieces;

    search_pieces(s->tmp, e, &pieces);
    if (search_words(s->p.a, pieces.at, pieces.n, words))
        put(s, &(struct text_row){ .no = e->no,
                                   .bid = row->bid,
                                   .depth = row->depth,
                                   .time = e->time,
                                   .role = e->role,
                                   .kind = e->kind,
                                   .words = words });
}

static bool each_entry(void *user, const struct entry_row *row)
{
    struct slicing *s = user;
    struct pack_extra x;
    struct bough_entry e;

    bough_arena_reset(s->tmp);
    /* What cannot be read has no words; fsck says so. */
    if (pack_entry_read(s->tmp, row->body, &e, &x, NULL) == BOUGH_OK) {
        if (e.kind == BOUGH_ENTRY_SESSION_INFO) /* it renames the session */
            add_title(s, s->sid, e.no, e.time);
        else
            add_entry(s, row, &e);
        s->out->to = e.no > s->out->to ? e.no : s->out->to;
    }
    return !s->full;
}

static void add_entries(struct slicing *s, const struct log_row *row, int64_t n)
{
    int64_t before = row->no - n; /* the number before its first */
    int64_t done = n > 1 && s->out->to > before ? s->out->to - before : 0;
    struct entry_range range = {
        .bid = row->bid, .from = row->depth - n + 1 + done, .to = row->depth, .deleted = true
    };

    s->sid = row->sid;
    /* A copy makes its session with all its entries in one row, and that begins a root. */
    if (row->bid && row->depth == n && !done)
        add_title(s, row->sid, before + 1, row->time);
    if (row->bid)
        s->rc = s->p.snap.ops->entry_scan(s->p.snap.v, &range, each_entry, s, s->err);
}

/*
 * Newest first, as they are found: an index that is written in its own order is written at once. Of
 * several titles of a session only the newest is put.
 */
static void arrange(struct slicing *s)
{
    struct txn *t = &s->out->txn;
    struct map titled;
    size_t n = 0;
    uint64_t val;

    for (size_t i = 0, k = t->nchanges; i + 1 < k; i++) {
        struct change c = t->changes[i];

        t->changes[i] = t->changes[--k];
        t->changes[k] = c;
    }
    map_init(&titled);
    for (size_t i = 0; i < t->nchanges; i++) {
        const struct text_row *row = &t->changes[i].u.text;

        if (!row->bid && map_get(&titled, (uint64_t)row->depth, &val))
            continue;
        if (!row->bid)
            map_put(&titled, (uint64_t)row->depth, 1);
        t->changes[n++] = t->changes[i];
    }
    t->nchanges = n;
    map_finish(&titled);
}

static bool take_row(struct slicing *s, const struct log_row *row)
{
    if (s->full || s->rows == SLICE_ROWS) {
        s->out->left = true;
        return false;
    }
    s->rows++;
    switch (text_of(row->kind)) {
    case TEXT_NONE:
        break;
    case TEXT_ENTRIES:
        add_entries(s, row, row->n);
        break;
    case TEXT_ENTRY:
        add_entries(s, row, 1);
        break;
    case TEXT_TITLE:
        add_title(s, row->sid, row->no, row->time);
        break;
    }
    if (s->full && text_of(row->kind) == TEXT_ENTRIES)
        s->out->left = s->out->to < row->no; /* perhaps in the middle of it */
    else
        s->out->to = row->no;
    return !s->rc && !s->out->left;
}

static void look_ahead(struct slicing *s)
{
    for (size_t i = 0; i < s->nwaiting; i++) {
        const struct log_row *row = &s->waiting[i];
        enum text_of of = text_of(row->kind);

        if (of == TEXT_ENTRIES || of == TEXT_ENTRY)
            ahead_entries(&s->ahead, WANT_ENTRY, row, of == TEXT_ENTRY ? 1 : row->n);
        if (of == TEXT_TITLE || (of == TEXT_ENTRIES && row->depth == row->n))
            ahead_add(&s->ahead, WANT_SESSION, row->sid, 0);
    }
    ahead_read(&s->ahead);
}

/* False: the slice is full, or something went wrong. */
static bool take_rows(struct slicing *s)
{
    bool more = true;

    look_ahead(s);
    for (size_t i = 0; i < s->nwaiting && more; i++)
        more = take_row(s, &s->waiting[i]);
    s->nwaiting = 0;
    return more;
}

static bool each_row(void *user, const struct log_row *row)
{
    struct slicing *s = user;

    s->waiting[s->nwaiting++] = *row;
    return s->nwaiting < s->together || take_rows(s);
}

enum bough_rc text_slice_prepare(struct engine *e, const struct patience *p, size_t documents,
                                 struct text_slice *out, struct bough_error *err)
{
    struct slicing s = { .out = out, .documents = documents, .err = err };
    enum bough_rc rc;

    *out = (struct text_slice){ .a = bough_arena_create() };
    s.p = (struct prep){ .e = e, .a = out->a, .t = &out->txn };
    rc = snap_begin_engine(e, p, &s.p.snap, err);
    if (rc)
        return rc;
    s.tmp = bough_arena_create();
    s.ahead = (struct ahead){ .snap = &s.p.snap, .a = out->a };
    s.together = documents < AHEAD_ROWS ? documents : AHEAD_ROWS;
    s.waiting = arena_array(out->a, s.together, sizeof *s.waiting);
    rc = s.p.snap.ops->text_mark(s.p.snap.v, &out->from, err);
    out->to = out->from;
    if (!rc)
        rc = s.p.snap.ops->log_scan(s.p.snap.v, out->from, each_row, &s, err);
    if (!rc)
        (void)take_rows(&s);
    rc = rc ? rc : s.rc;
    snap_end(&s.p.snap);
    bough_arena_destroy(s.tmp);
    if (rc || out->to == out->from)
        return rc;
    arrange(&s);
    txn_change(&s.p, CHANGE_TEXT_MARK)->u.watermark = out->to;
    txn_guard(&s.p, GUARD_TEXT, 0, out->from, 0);
    out->txn.relaxed = true;
    return BOUGH_OK;
}

void text_slice_finish(struct text_slice *s)
{
    bough_arena_destroy(s->a);
    s->a = NULL;
}

enum bough_rc text_behind(struct snap *snap, int64_t *n, struct bough_error *err)
{
    int64_t last = 0, mark = 0;
    enum bough_rc rc = snap->ops->text_mark(snap->v, &mark, err);

    if (!rc)
        rc = snap->ops->log_last(snap->v, &last, err);
    *n = last > mark ? last - mark : 0;
    return rc;
}

/* ---- who does it ---- */

/* One at a time in this process: two would make the same words. False: out of patience. */
static bool claim(struct engine *e, const struct patience *p)
{
    bool mine;

    for (;;) {
        pthread_mutex_lock(&e->lock);
        mine = !e->texting;
        e->texting = true;
        pthread_mutex_unlock(&e->lock);
        if (mine || mono_us() >= p->until_us)
            return mine;
        nanosleep(&(struct timespec){ 0, 200000 }, NULL);
    }
}

/* `seen` rows were pending when it began, and all of them are in. */
static void unclaim(struct engine *e, size_t seen, bool all, bool failed)
{
    pthread_mutex_lock(&e->lock);
    e->texting = false;
    if (all)
        e->text_pending -= seen < e->text_pending ? seen : e->text_pending;
    if (failed)
        e->text_after = mono_us() + AGAIN_US;
    pthread_mutex_unlock(&e->lock);
}

static size_t pending_now(struct engine *e)
{
    size_t n;

    pthread_mutex_lock(&e->lock);
    n = e->text_pending;
    pthread_mutex_unlock(&e->lock);
    return n;
}

/* In the writer's role. */
static enum bough_rc commit(struct engine *e, struct text_slice *s, const struct patience *p,
                            struct bough_error *err)
{
    struct txn *t = &s->txn;
    enum bough_rc rc = e->ops->commit(e->backend, &t, 1, p, err);

    if (rc)
        state_drop_all(e);
    pthread_mutex_lock(&e->lock);
    e->untidy = true;
    pthread_mutex_unlock(&e->lock);
    return rc;
}

/* One slice. `polite`: not when somebody else writes; *done is false then, too. */
static enum bough_rc one_slice(struct engine *e, const struct patience *p, size_t documents,
                               bool polite, struct text_slice *s, bool *done,
                               struct bough_error *err)
{
    enum bough_rc rc = text_slice_prepare(e, p, documents, s, err);

    *done = !rc;
    if (rc || (!s->documents && s->to - s->from < QUIET_ROWS))
        return rc;
    if (polite) {
        pthread_mutex_lock(&e->lock);
        *done = !e->leading && !e->wanted;
        if (*done)
            e->leading = true;
        pthread_mutex_unlock(&e->lock);
        if (!*done)
            return BOUGH_OK;
    } else {
        rc = writer_take(e, p, err);
        *done = !rc;
        if (rc)
            return rc;
    }
    rc = commit(e, s, p, err);
    writer_give(e);
    *done = !rc && s->txn.state == TXN_DONE;
    return rc;
}

enum bough_rc text_catch_up(struct engine *e, const struct patience *p, int64_t want,
                            int64_t *reached, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    bool left = true;
    size_t seen;

    *reached = 0;
    while (!rc && left && *reached < want && mono_us() < p->until_us) {
        struct text_slice s;
        bool done;

        if (!claim(e, p))
            break;
        seen = pending_now(e);
        rc = one_slice(e, p, SLICE_LARGE, false, &s, &done, err);
        if (done) {
            *reached = s.to;
            left = s.left;
        } else if (!rc) {
            *reached = s.from; /* another process was faster: look again */
        }
        text_slice_finish(&s);
        unclaim(e, seen, done && !left, rc != BOUGH_OK);
    }
    return rc == BOUGH_TIMEOUT ? BOUGH_OK : rc;
}

static bool undisturbed(struct engine *e, int64_t last_us)
{
    bool yes;

    pthread_mutex_lock(&e->lock);
    yes = e->last_us == last_us && !e->first && !e->wanted && !e->stopping;
    pthread_mutex_unlock(&e->lock);
    return yes;
}

void text_beside(struct engine *e)
{
    struct patience p = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };
    struct bough_error err = { 0 };
    enum bough_rc rc = BOUGH_OK;
    bool left = true, done = true;
    int64_t last_us;
    size_t seen;

    pthread_mutex_lock(&e->lock);
    seen = e->text_pending;
    last_us = e->last_us;
    pthread_mutex_unlock(&e->lock);
    if (!claim(e, &(struct patience){ 0, NULL }))
        return;
    for (int i = 0; i < SLICES_IDLE && left && done && !rc; i++) {
        bool idle = undisturbed(e, last_us);
        struct text_slice s;

        if (!idle && i)
            break;
        rc = one_slice(e, &p, idle ? SLICE_IDLE : SLICE_LARGE, idle, &s, &done, &err);
        left = s.left;
        text_slice_finish(&s);
    }
    unclaim(e, seen, !rc && done && !left, rc != BOUGH_OK);
    if (rc)
        log_msg(LOG_WARN, "the full text was not brought up to date: %s", err.msg);
}
