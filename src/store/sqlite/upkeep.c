/* Moving the write-ahead log into the main file, when nobody waits for it. */
#include "store/sqlite/db.h"

enum {
    FRAMES_IDLE = 100,                             /* worth the two syncs when there is time */
    FRAMES_FORCED = 16 * 1024 * 1024 / PAGE_BYTES, /* do it now, somebody waits or not */
    FRAMES_AGAIN = 1024 * 1024 / PAGE_BYTES,       /* and try again after so many more */
    FRAMES_MAX = 64 * 1024 * 1024 / PAGE_BYTES,    /* readers were in the way: start the log over */
};

static int pending(struct sqlite *s)
{
    if (s->frames < s->moved)
        s->moved = 0; /* the log was started over */
    return s->frames - s->moved;
}

void checkpoint_now(struct sqlite *s, int mode)
{
    struct conn *c = s->writer;
    int frames = -1, moved = -1, code;

    c->patience = (struct patience){ 0, NULL }; /* never wait for readers */
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

/* One sync makes relaxed commits durable; a checkpoint would cost two, and one more at the next
 * commit. */
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
        return; /* a reader was in the way a moment ago */
    s->tried = s->frames;
    checkpoint_now(s,
                   s->frames > FRAMES_MAX ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE);
}

void sqlite_upkeep(struct backend *b, bool last)
{
    struct sqlite *s = sqlite_of(b);

    if (s->read_only || s->forks != forks_seen())
        return;
    pthread_mutex_lock(&s->write_lock);
    if (!s->writer && !last)
        writer_replace(s);
    if (s->writer) {
        /* Truncating overwrites nothing, but what was purged must not stay in the log file. */
        if (s->scrub || last) {
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
