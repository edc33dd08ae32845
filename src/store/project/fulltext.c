/* The full-text projector: turns changelog rows into documents, one slice at a time. */
#include "store/project/fulltext.h"

#include <time.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "core/search/search.h"
#include "store/engine/ahead.h"

enum {
    SLICE_IDLE = 64,   /* documents per slice; a writer then waits about two milliseconds */
    SLICE_LARGE = 512, /* documents per slice when busy, or when a search waits */
    SLICE_BULK = 4096, /* documents per slice with a large backlog: it is written once */
};
enum {
    SLICE_BYTES =
        512 * 1024, /* bytes of words per slice, so that large entries make short slices */
    SLICE_BYTES_BULK = 1024 * 1024, /* FTS5 keeps as much in memory, and then writes a segment */
};
enum { BULK_FROM = 2048 };   /* a large backlog, in numbers */
enum { SLICE_ROWS = 65536 }; /* changelog rows per slice, most of which have no text */
enum { SLICES_IDLE = 32 };   /* slices between two syncs */
enum { AGAIN_US = 100000 };  /* pause after a failure */
enum { QUIET_ROWS = 256 };   /* rows without text that are not worth a commit */

/* ---- what a changelog row changes ---- */

enum text_of {
    TEXT_NONE,
    TEXT_ENTRIES, /* the n entries that end at (bid, depth), with consecutive numbers */
    TEXT_ENTRY,   /* the entry at (bid, depth), whatever its number */
    TEXT_BEFORE,  /* as ENTRIES, without the last one: it is open */
    TEXT_TITLE,   /* the title of session sid */
};

/* Deletion and restoration change no document: a search checks whether an entry is shown. A purge
 * removes its documents itself. */
static enum text_of text_of(int64_t kind)
{
    switch ((enum changelog_kind)kind) {
    case CHANGELOG_APPEND:
    case CHANGELOG_RUN: /* its prompt */
        return TEXT_ENTRIES;
    case CHANGELOG_SEAL: /* an open message is indexed only once sealed */
        return TEXT_ENTRY;
    case CHANGELOG_OPEN:
        return TEXT_BEFORE;
    case CHANGELOG_SESSION_NEW:
    case CHANGELOG_SESSION:
        return TEXT_TITLE;
    case CHANGELOG_HEAD:
    case CHANGELOG_STATUS:
    case CHANGELOG_DELETE:
    case CHANGELOG_RESTORE:
    case CHANGELOG_PURGE:
    case CHANGELOG_ENTRY_DELETE:
    case CHANGELOG_ENTRY_RESTORE:
    case CHANGELOG_RECORD:
    case CHANGELOG_ADJUST:
    case CHANGELOG_CALL_DELETE:
    case CHANGELOG_REPRICE:
    case CHANGELOG_APPROVAL:
        return TEXT_NONE;
    }
    return TEXT_NONE;
}

/* ---- a slice ---- */

struct slicing {
    struct prep p;
    struct fulltext_slice *out;
    struct bough_arena *tmp;       /* reset for every entry */
    size_t documents, most;        /* limits of documents and of bytes of words */
    int64_t sid;                   /* session of the current row */
    struct changelog_row *waiting; /* rows that are prefetched together */
    size_t nwaiting, together;
    struct ahead ahead;
    size_t rows, bytes;
    bool full;
    enum bough_rc rc;
    struct bough_error *err;
};

static void put(struct slicing *s, const struct fulltext_row *row)
{
    txn_change(&s->p, CHANGE_FULLTEXT_PUT)->u.text = *row;
    s->out->documents++;
    for (int f = 0; row->words && f < SEARCH_FIELDS; f++)
        s->bytes += row->words->field[f].n;
    s->full = s->out->documents >= s->documents || s->bytes >= s->most;
}

/* Index the title as of the snapshot. A later change of the title has its own row. */
static void add_title(struct slicing *s, int64_t sid, int64_t no, int64_t time)
{
    struct fulltext_row doc = { .no = no, .depth = sid, .time = time };
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
        put(s, &(struct fulltext_row){ .no = e->no,
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
    /* An unreadable entry has no words; fsck reports it. */
    if (pack_entry_read(s->tmp, row->body, &e, &x, NULL) == BOUGH_OK) {
        if (e.kind == BOUGH_ENTRY_SESSION_INFO) /* this kind renames the session */
            add_title(s, s->sid, e.no, e.time);
        else
            add_entry(s, row, &e);
        s->out->to = e.no > s->out->to ? e.no : s->out->to;
    }
    return !s->full;
}

static void add_entries(struct slicing *s, const struct changelog_row *row, int64_t n)
{
    int64_t before = row->no - n; /* the number before its first entry */
    int64_t done = n > 1 && s->out->to > before ? s->out->to - before : 0;
    struct entry_range range = {
        .bid = row->bid, .from = row->depth - n + 1 + done, .to = row->depth, .deleted = true
    };

    s->sid = row->sid;
    /* A copied session is created with all its entries in one row, which starts at a root. */
    if (row->bid && row->depth == n && !done)
        add_title(s, row->sid, before + 1, row->time);
    if (row->bid)
        s->rc = s->p.snap.ops->entry_scan(s->p.snap.v, &range, each_entry, s, s->err);
}

/* Reverse the documents to newest first, the order of the index, so that it is written
 * sequentially. Of several titles of a session keep only the newest. */
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
        const struct fulltext_row *row = &t->changes[i].u.text;

        if (!row->bid && map_get(&titled, (uint64_t)row->depth, &val))
            continue;
        if (!row->bid)
            map_put(&titled, (uint64_t)row->depth, 1);
        t->changes[n++] = t->changes[i];
    }
    t->nchanges = n;
    map_finish(&titled);
}

/* The row without an open message at its end. */
static struct changelog_row without_open(const struct changelog_row *row)
{
    struct changelog_row out = *row;

    if (text_of(row->kind) == TEXT_BEFORE) {
        out.no--;
        out.depth--;
        out.n--;
    }
    return out;
}

static bool take_row(struct slicing *s, const struct changelog_row *row)
{
    struct changelog_row whole = without_open(row);
    enum text_of of = text_of(row->kind);

    if (s->full || s->rows == SLICE_ROWS) {
        s->out->left = true;
        return false;
    }
    s->rows++;
    switch (of) {
    case TEXT_NONE:
        break;
    case TEXT_BEFORE:
    case TEXT_ENTRIES:
        if (whole.n > 0)
            add_entries(s, &whole, whole.n);
        break;
    case TEXT_ENTRY:
        add_entries(s, row, 1);
        break;
    case TEXT_TITLE:
        add_title(s, row->sid, row->no, row->time);
        break;
    }
    /* The slice may end inside the row. */
    s->out->left = s->full && (of == TEXT_ENTRIES || of == TEXT_BEFORE) && s->out->to < whole.no;
    if (!s->out->left)
        s->out->to = row->no;
    return !s->rc && !s->out->left;
}

static void look_ahead(struct slicing *s)
{
    for (size_t i = 0; i < s->nwaiting; i++) {
        struct changelog_row row = without_open(&s->waiting[i]);
        enum text_of of = text_of(row.kind);

        if (of == TEXT_ENTRIES || of == TEXT_BEFORE || of == TEXT_ENTRY)
            ahead_entries(&s->ahead, WANT_ENTRY, &row, of == TEXT_ENTRY ? 1 : row.n);
        if (of == TEXT_TITLE || (of == TEXT_ENTRIES && row.depth == row.n))
            ahead_add(&s->ahead, WANT_SESSION, row.sid, 0);
    }
    ahead_read(&s->ahead);
}

/* Returns false if the slice is full or an error occurred. */
static bool take_rows(struct slicing *s)
{
    bool more = true;

    look_ahead(s);
    for (size_t i = 0; i < s->nwaiting && more; i++)
        more = take_row(s, &s->waiting[i]);
    s->nwaiting = 0;
    return more;
}

static bool each_row(void *user, const struct changelog_row *row)
{
    struct slicing *s = user;

    s->waiting[s->nwaiting++] = *row;
    return s->nwaiting < s->together || take_rows(s);
}

enum bough_rc fulltext_slice_prepare(struct engine *e, const struct deadline *p, size_t documents,
                                     struct fulltext_slice *out, struct bough_error *err)
{
    struct slicing s = { .out = out, .documents = documents, .err = err };
    enum bough_rc rc;

    *out = (struct fulltext_slice){ .a = bough_arena_create() };
    s.most = documents > SLICE_LARGE ? SLICE_BYTES_BULK : SLICE_BYTES;
    s.p = (struct prep){ .e = e, .a = out->a, .t = &out->txn };
    rc = snap_begin_engine(e, p, &s.p.snap, err);
    if (rc)
        return rc;
    s.tmp = bough_arena_create();
    s.ahead = (struct ahead){ .snap = &s.p.snap, .a = out->a };
    s.together = documents < AHEAD_ROWS ? documents : AHEAD_ROWS;
    s.waiting = arena_array(out->a, s.together, sizeof *s.waiting);
    rc = s.p.snap.ops->fulltext_mark(s.p.snap.v, &out->from, err);
    out->to = out->from;
    if (!rc)
        rc = s.p.snap.ops->changelog_scan(s.p.snap.v, out->from, each_row, &s, err);
    if (!rc)
        (void)take_rows(&s);
    rc = rc ? rc : s.rc;
    snap_end(&s.p.snap);
    bough_arena_destroy(s.tmp);
    if (rc || out->to == out->from)
        return rc;
    arrange(&s);
    txn_change(&s.p, CHANGE_FULLTEXT_MARK)->u.watermark = out->to;
    txn_guard(&s.p, guard_fulltext(out->from));
    out->txn.relaxed = true;
    return BOUGH_OK;
}

void fulltext_slice_finish(struct fulltext_slice *s)
{
    bough_arena_destroy(s->a);
    s->a = NULL;
}

enum bough_rc fulltext_behind(struct snap *snap, int64_t *n, struct bough_error *err)
{
    int64_t last = 0, mark = 0;
    enum bough_rc rc = snap->ops->fulltext_mark(snap->v, &mark, err);

    if (!rc)
        rc = snap->ops->changelog_last(snap->v, &last, err);
    *n = last > mark ? last - mark : 0;
    return rc;
}

/* ---- running slices ---- */

/* Only one thread per process indexes, since two would do the same work. Returns false if the
 * deadline has passed. */
static bool claim(struct engine *e, const struct deadline *p)
{
    bool mine;

    for (;;) {
        pthread_mutex_lock(&e->lock);
        mine = !e->fulltext.running;
        e->fulltext.running = true;
        pthread_mutex_unlock(&e->lock);
        if (mine || mono_us() >= p->until_us)
            return mine;
        nanosleep(&(struct timespec){ 0, 200000 }, NULL);
    }
}

/* `done`: numbers that are indexed now. */
static void unclaim(struct engine *e, size_t done, bool failed)
{
    pthread_mutex_lock(&e->lock);
    e->fulltext.running = false;
    e->fulltext.pending -= done < e->fulltext.pending ? done : e->fulltext.pending;
    if (failed)
        e->fulltext.retry_us = mono_us() + AGAIN_US;
    pthread_mutex_unlock(&e->lock);
}

static size_t pending_now(struct engine *e)
{
    size_t n;

    pthread_mutex_lock(&e->lock);
    n = e->fulltext.pending;
    pthread_mutex_unlock(&e->lock);
    return n;
}

/* Needs the writer role. */
static enum bough_rc commit(struct engine *e, struct fulltext_slice *s, const struct deadline *p,
                            struct bough_error *err)
{
    struct txn *t = &s->txn;
    enum bough_rc rc = e->ops->commit(e->backend, &t, 1, p, err);

    if (rc)
        state_drop_all(e);
    pthread_mutex_lock(&e->lock);
    e->upkeep.untidy = true;
    pthread_mutex_unlock(&e->lock);
    return rc;
}

/* Run one slice. `polite`: only if the writer role is free. *done is false if the role was taken or
 * the txn lost its guard. */
static enum bough_rc one_slice(struct engine *e, const struct deadline *p, size_t documents,
                               bool polite, struct fulltext_slice *s, bool *done,
                               struct bough_error *err)
{
    enum bough_rc rc = fulltext_slice_prepare(e, p, documents, s, err);

    *done = !rc;
    if (rc || (!s->documents && s->to - s->from < QUIET_ROWS))
        return rc;
    if (polite) {
        pthread_mutex_lock(&e->lock);
        *done = !e->queue.leading && !e->queue.wanted;
        if (*done)
            e->queue.leading = true;
        pthread_mutex_unlock(&e->lock);
        if (!*done)
            return BOUGH_OK;
    } else {
        rc = role_take(e, p, err);
        *done = !rc;
        if (rc)
            return rc;
    }
    rc = commit(e, s, p, err);
    role_give(e);
    *done = !rc && s->txn.state == TXN_DONE;
    return rc;
}

/* The numbers that a slice has indexed, of those pending before it: all, or those of the slice. */
static size_t indexed(const struct fulltext_slice *s, bool done, size_t seen)
{
    if (!done)
        return 0;
    return s->left ? (size_t)(s->to - s->from) : seen;
}

enum bough_rc fulltext_catch_up(struct engine *e, const struct deadline *p, int64_t want,
                                int64_t *reached, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    bool left = true;
    size_t seen, some;

    *reached = 0;
    while (!rc && left && *reached < want && mono_us() < p->until_us) {
        struct fulltext_slice s;
        bool done;

        if (!claim(e, p))
            break;
        seen = pending_now(e);
        rc = one_slice(e, p, want == INT64_MAX ? SLICE_BULK : SLICE_LARGE, false, &s, &done, err);
        some = indexed(&s, done, seen);
        if (done) {
            *reached = s.to;
            left = s.left;
        } else if (!rc) {
            *reached = s.from; /* another process was faster: retry */
        }
        fulltext_slice_finish(&s);
        unclaim(e, some, rc != BOUGH_OK);
    }
    return rc == BOUGH_TIMEOUT ? BOUGH_OK : rc;
}

static bool undisturbed(struct engine *e, int64_t last_us)
{
    bool yes;

    pthread_mutex_lock(&e->lock);
    yes = e->queue.last_us == last_us && !e->queue.first && !e->queue.wanted &&
          !e->background.stopping;
    pthread_mutex_unlock(&e->lock);
    return yes;
}

void fulltext_beside(struct engine *e)
{
    struct deadline p = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };
    struct bough_error err = { 0 };
    enum bough_rc rc = BOUGH_OK;
    bool left = true, done = true;
    int64_t last_us;
    size_t seen, some = 0;

    pthread_mutex_lock(&e->lock);
    seen = e->fulltext.pending;
    last_us = e->queue.last_us;
    pthread_mutex_unlock(&e->lock);
    if (!claim(e, &(struct deadline){ 0, NULL }))
        return;
    for (int i = 0; i < SLICES_IDLE && left && done && !rc; i++) {
        bool idle = undisturbed(e, last_us);
        struct fulltext_slice s;

        if (!idle && i)
            break;
        rc = one_slice(e, &p,
                       seen >= BULK_FROM ? SLICE_BULK
                       : idle            ? SLICE_IDLE
                                         : SLICE_LARGE,
                       idle, &s, &done, &err);
        left = s.left;
        some = left ? some + indexed(&s, !rc && done, seen) : indexed(&s, !rc && done, seen);
        fulltext_slice_finish(&s);
    }
    unclaim(e, some, rc != BOUGH_OK);
    if (rc)
        log_msg(LOG_WARN, "the full text was not brought up to date: %s", err.msg);
}
