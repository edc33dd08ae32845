/* Idle work of the SQLite backend: checkpoint the WAL and give free pages back to the file
 * system. */
#include "store/sqlite/conn/db.h"

#include <stdio.h>

enum {
    /* Checkpoint from here on when idle; it costs two syncs. */
    FRAMES_IDLE = 100,
    /* Checkpoint from here on even when requests wait. */
    FRAMES_FORCED = 16 * 1024 * 1024 / PAGE_BYTES,
    /* After a failed attempt, retry when this many more were added. */
    FRAMES_AGAIN = 1024 * 1024 / PAGE_BYTES,
    PAGES_SPARE = 1024 * 1024 / PAGE_BYTES,      /* upper limit for the free pages that are kept */
    SPARE_PART = 64,                             /* keep at most 1/64 of the pages free */
    SHRINK_PAGES = 4 * 1024 * 1024 / PAGE_BYTES, /* pages given back per step */
    /* Steps per upkeep, so that a commit does not wait long. */
    SHRINK_STEPS = 64,
    FRAMES_MAX = 64 * 1024 * 1024 / PAGE_BYTES, /* readers blocked checkpoints: restart the WAL */
};

static int pending(struct sqlite *s)
{
    if (s->frames < s->moved)
        s->moved = 0; /* the WAL was restarted */
    return s->frames - s->moved;
}

void checkpoint_now(struct sqlite *s, int mode)
{
    struct conn *c = s->writer;
    int frames = -1, moved = -1, code;

    c->deadline = (struct deadline){ 0, NULL }; /* never wait for readers */
    code = sqlite3_wal_checkpoint_v2(c->db, "main", mode, &frames, &moved);
    if (frames >= 0 && moved >= 0) {
        s->frames = frames;
        s->moved = moved;
    }
    if (code == SQLITE_OK && frames == moved)
        s->relaxed = false;
    if (conn_hopeless(code))
        writer_replace(s);
}

/* Make relaxed commits durable with one sync of the WAL. A checkpoint would cost two syncs, and one
 * more at the next commit. */
static void sync_log(struct sqlite *s)
{
    sqlite3_file *f = NULL;

    sqlite3_file_control(s->writer->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &f);
    if (f && f->pMethods && f->pMethods->xSync(f, SQLITE_SYNC_NORMAL) == SQLITE_OK)
        s->relaxed = false;
    else
        writer_replace(s);
}

void checkpoint_if_large(struct sqlite *s)
{
    if (!s->writer || pending(s) < FRAMES_FORCED)
        return;
    if (s->frames >= s->tried && s->frames < s->tried + FRAMES_AGAIN)
        return; /* a reader blocked the last attempt a moment ago */
    s->tried = s->frames;
    checkpoint_now(s,
                   s->frames > FRAMES_MAX ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE);
}

static int64_t pragma(struct conn *c, const char *text)
{
    sqlite3_stmt *st = NULL;
    int64_t n = 0;

    if (sqlite3_prepare_v2(c->db, text, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

/*
 * Give free pages at the end of the file back to the file system. Each step is a short transaction.
 * A few pages stay free, so that a file that is about to grow again is not cut first. A store
 * created without incremental vacuum keeps its size.
 */
static void shrink(struct sqlite *s)
{
    char text[64];

    for (int step = 0; s->writer && step < SHRINK_STEPS; step++) {
        struct conn *c = s->writer;
        int64_t spare = pragma(c, "PRAGMA freelist_count"), keep;

        keep = pragma(c, "PRAGMA page_count") / SPARE_PART;
        spare -= keep < PAGES_SPARE ? keep : PAGES_SPARE;
        if (spare <= 0 || pragma(c, "PRAGMA auto_vacuum") != 2)
            return;
        snprintf(text, sizeof text, "PRAGMA incremental_vacuum(%lld)",
                 (long long)(spare < SHRINK_PAGES ? spare : SHRINK_PAGES));
        /* If another process writes, try again at the next upkeep. */
        c->deadline = (struct deadline){ 0, NULL };
        if (sqlite3_exec(c->db, text, NULL, NULL, NULL) != SQLITE_OK)
            break;
        s->cache.valid = false;
        checkpoint_now(s, SQLITE_CHECKPOINT_PASSIVE);
    }
}

void sqlite_upkeep(struct backend *b, bool last)
{
    struct sqlite *s = sqlite_of(b);

    if (s->read_only || conn_pool_forked(&s->pool))
        return;
    pthread_mutex_lock(&s->write_lock);
    if (!s->writer && !last)
        writer_replace(s);
    if (s->writer) {
        /* Purged bytes must not stay in the WAL file, so it is truncated after a purge. */
        if (s->scrub || last) {
            shrink(s);
            if (s->writer)
                checkpoint_now(s, SQLITE_CHECKPOINT_TRUNCATE);
            s->scrub = s->frames != 0;
        } else if (pending(s) >= FRAMES_IDLE) {
            checkpoint_now(s, SQLITE_CHECKPOINT_PASSIVE);
        }
        if (s->writer && s->relaxed)
            sync_log(s);
    }
    pthread_mutex_unlock(&s->write_lock);
}
