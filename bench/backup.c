/* An online backup with verification, compared with a plain copy of the file. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "bench.h"

struct backups {
    struct bough_store *s;
    struct bough_arena *a;
    const char *dir;
};

static void run_backup(void *user, size_t i)
{
    struct backups *c = user;
    const char *to = fs_join(c->a, c->dir, "backup");
    struct bough_backup_result report;
    struct bough_error err;

    (void)i;
    must(bough_backup(c->s, to, NULL, &report, &err), &err, "backup");
    unlink(to);
}

/* Includes the sync, as a backup does. */
static void run_copy(void *user, size_t i)
{
    static char piece[1 << 20];
    struct backups *c = user;
    const char *to = fs_join(c->a, c->dir, "copy");
    int in = open(fs_join(c->a, c->dir, "store"), O_RDONLY);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
    ssize_t n;

    (void)i;
    while ((n = read(in, piece, sizeof piece)) > 0)
        if (write(out, piece, (size_t)n) != n)
            break;
    if (n != 0 || fsync(out) != 0) {
        perror("bench: copy");
        exit(2);
    }
    close(in);
    close(out);
    unlink(to);
}

void bench_backup(struct bench *b)
{
    const char *dir = scratch(b, "backup");
    struct backups c = { store_new(dir, false), bough_arena_create(), dir };
    struct side sides[] = { { .name = "backup", .run = run_backup, .user = &c },
                            { .name = "copy", .run = run_copy, .user = &c } };
    char id[BOUGH_ID_LEN + 1];
    struct bough_error err;

    syncs_skip(true);
    for (size_t i = 0; i < 40; i++) {
        session_new(c.s, "backup", id);
        append_many(c.s, id, i * 1000, b->full ? 10000 : 2000);
    }
    must(bough_store_upkeep(c.s, &err), &err, "upkeep");
    syncs_skip(false);
    interleave(sides, 2, b->full ? 15 : 7, 1);
    figure(b, "backup_vs_copy", median(&sides[0].us) / median(&sides[1].us));
    sides_finish(sides, 2);
    bough_store_close(&c.s);
    scratch_remove(dir);
    bough_arena_destroy(c.a);
}
