/* A SQLite VFS that counts I/O calls and can make the n-th call of a kind fail. */
#include "lib/faulty_vfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

#include "store/sqlite/sqlite.h"

static const struct {
    const char *name;
    enum faulty_op op;
    int code;
} kinds[FAULTY_KINDS] = {
    [FAULTY_READ_EIO] = { "read-eio", FAULTY_READ, SQLITE_IOERR_READ },
    [FAULTY_WRITE_EIO] = { "write-eio", FAULTY_WRITE, SQLITE_IOERR_WRITE },
    [FAULTY_WRITE_SHORT] = { "write-short", FAULTY_WRITE, SQLITE_IOERR_WRITE },
    [FAULTY_WRITE_FULL] = { "write-full", FAULTY_WRITE, SQLITE_FULL },
    [FAULTY_SYNC_EIO] = { "sync-eio", FAULTY_SYNC, SQLITE_IOERR_FSYNC },
    [FAULTY_TRUNCATE_EIO] = { "truncate-eio", FAULTY_TRUNCATE, SQLITE_IOERR_TRUNCATE },
    [FAULTY_OPEN_CANT] = { "open-cant", FAULTY_OPEN, SQLITE_CANTOPEN },
    [FAULTY_DELETE_EIO] = { "delete-eio", FAULTY_DELETE, SQLITE_IOERR_DELETE },
    [FAULTY_SHM_EIO] = { "shm-eio", FAULTY_SHM, SQLITE_IOERR_SHMMAP },
};

static struct {
    pthread_mutex_t lock; /* guards the fields below */
    int64_t count[FAULTY_OPS];
    bool armed, sticky, fired;
    enum faulty_kind kind;
    int64_t left;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Count one call. Returns SQLITE_OK, or the code the call must fail with. */
static int meet(enum faulty_op op, bool *half)
{
    int code = SQLITE_OK;

    pthread_mutex_lock(&state.lock);
    state.count[op]++;
    if (state.armed && kinds[state.kind].op == op) {
        state.left--;
        if (state.left == 0 || (state.left < 0 && state.sticky)) {
            state.fired = true;
            code = kinds[state.kind].code;
            if (half)
                *half = state.kind != FAULTY_WRITE_EIO;
        }
    }
    pthread_mutex_unlock(&state.lock);
    return code;
}

/* ---- files: every method calls the real file, which is stored behind ours ---- */

struct file {
    sqlite3_file base;
    sqlite3_file *real;
};

static sqlite3_file *real_of(sqlite3_file *f)
{
    return ((struct file *)f)->real;
}

static int f_close(sqlite3_file *f)
{
    sqlite3_file *r = real_of(f);

    return r->pMethods ? r->pMethods->xClose(r) : SQLITE_OK;
}

static int f_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    sqlite3_file *r = real_of(f);
    int code = meet(FAULTY_READ, NULL);

    return code ? code : r->pMethods->xRead(r, p, n, at);
}

static int f_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    sqlite3_file *r = real_of(f);
    bool half = false;
    int code = meet(FAULTY_WRITE, &half);

    if (!code)
        return r->pMethods->xWrite(r, p, n, at);
    if (half)
        (void)r->pMethods->xWrite(r, p, n / 2, at);
    return code;
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    sqlite3_file *r = real_of(f);
    int code = meet(FAULTY_TRUNCATE, NULL);

    return code ? code : r->pMethods->xTruncate(r, size);
}

static int f_sync(sqlite3_file *f, int flags)
{
    sqlite3_file *r = real_of(f);
    int code = meet(FAULTY_SYNC, NULL);

    return code ? code : r->pMethods->xSync(r, flags);
}

static int f_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int f_lock(sqlite3_file *f, int level)
{
    return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int f_unlock(sqlite3_file *f, int level)
{
    return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int f_reserved(sqlite3_file *f, int *out)
{
    return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int f_control(sqlite3_file *f, int op, void *arg)
{
    return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int f_sector(sqlite3_file *f)
{
    return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int f_traits(sqlite3_file *f)
{
    return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int f_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    sqlite3_file *r = real_of(f);
    int code = meet(FAULTY_SHM, NULL);

    return code ? code : r->pMethods->xShmMap(r, page, size, extend, out);
}

static int f_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void f_shm_barrier(sqlite3_file *f)
{
    real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int f_shm_unmap(sqlite3_file *f, int remove)
{
    return real_of(f)->pMethods->xShmUnmap(real_of(f), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, /* no mmap: every read must pass through xRead */
    .xClose = f_close,
    .xRead = f_read,
    .xWrite = f_write,
    .xTruncate = f_truncate,
    .xSync = f_sync,
    .xFileSize = f_size,
    .xLock = f_lock,
    .xUnlock = f_unlock,
    .xCheckReservedLock = f_reserved,
    .xFileControl = f_control,
    .xSectorSize = f_sector,
    .xDeviceCharacteristics = f_traits,
    .xShmMap = f_shm_map,
    .xShmLock = f_shm_lock,
    .xShmBarrier = f_shm_barrier,
    .xShmUnmap = f_shm_unmap,
};

/* ---- the file system ---- */

static sqlite3_vfs *real_vfs(sqlite3_vfs *v)
{
    return v->pAppData;
}

static int v_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
    struct file *file = (struct file *)f;
    int code = meet(FAULTY_OPEN, NULL);

    file->base.pMethods = NULL;
    if (code)
        return code;
    file->real = (sqlite3_file *)(file + 1);
    code = real_vfs(v)->xOpen(real_vfs(v), name, file->real, flags, out);
    if (code == SQLITE_OK)
        file->base.pMethods = &methods;
    return code;
}

static int v_delete(sqlite3_vfs *v, const char *name, int sync)
{
    int code = meet(FAULTY_DELETE, NULL);

    return code ? code : real_vfs(v)->xDelete(real_vfs(v), name, sync);
}

static sqlite3_vfs faulty;

void faulty_vfs_install(void)
{
    if (!faulty.zName) {
        sqlite3_initialize();
        /* Only opening and deleting are replaced; the rest is copied from the default VFS. */
        faulty = *sqlite3_vfs_find(NULL);
        faulty.pAppData = sqlite3_vfs_find(NULL);
        faulty.szOsFile += (int)sizeof(struct file);
        faulty.pNext = NULL;
        faulty.zName = "faulty";
        faulty.xOpen = v_open;
        faulty.xDelete = v_delete;
        sqlite3_vfs_register(&faulty, 0);
    }
    sqlite_backend_use_vfs("faulty");
}

void faulty_vfs_remove(void)
{
    sqlite_backend_use_vfs(NULL);
}

/* ---- functions for tests ---- */

const char *faulty_name(enum faulty_kind kind)
{
    return kinds[kind].name;
}

enum faulty_op faulty_op_of(enum faulty_kind kind)
{
    return kinds[kind].op;
}

void faulty_arm(enum faulty_kind kind, int64_t n, bool sticky)
{
    pthread_mutex_lock(&state.lock);
    state.armed = true;
    state.fired = false;
    state.sticky = sticky;
    state.kind = kind;
    state.left = n;
    pthread_mutex_unlock(&state.lock);
}

bool faulty_disarm(void)
{
    bool fired;

    pthread_mutex_lock(&state.lock);
    state.armed = false;
    fired = state.fired;
    pthread_mutex_unlock(&state.lock);
    return fired;
}

int64_t faulty_count(enum faulty_op op)
{
    int64_t n;

    pthread_mutex_lock(&state.lock);
    n = state.count[op];
    pthread_mutex_unlock(&state.lock);
    return n;
}
