/* Helpers to create stores and sessions, and to append and read. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "bench.h"

void must(enum bough_rc rc, const struct bough_error *err, const char *what)
{
    if (!rc)
        return;
    fprintf(stderr, "bench: %s: %s\n", what, err->msg);
    exit(2);
}

const char *scratch(struct bench *b, const char *name)
{
    static struct bough_arena *kept;
    const char *dir;

    if (!kept)
        kept = bough_arena_create();
    dir = fs_join(kept, b->dir, name);
    if (mkdir(dir, 0700) != 0) {
        perror(dir);
        exit(2);
    }
    return dir;
}

void scratch_remove(const char *dir)
{
    (void)fs_remove_tree(dir);
}

struct bough_store *store_new(const char *dir, bool compress)
{
    /* No indexing: the full text has figures of its own (search.c). */
    struct bough_store_open_options options = { .compression = compress ? BOUGH_COMPRESS_LARGE
                                                                        : BOUGH_COMPRESS_NEVER,
                                                .indexing = BOUGH_INDEX_ON_SEARCH };
    struct bough_arena *a = bough_arena_create();
    struct bough_store *s = NULL;
    struct bough_error err;

    must(bough_store_open(&s, dir ? fs_join(a, dir, "store") : "memory:", &options, &err), &err,
         "open");
    bough_arena_destroy(a);
    return s;
}

void session_new(struct bough_store *s, const char *title, char id[BOUGH_ID_LEN + 1])
{
    struct bough_arena *a = bough_arena_create();
    struct bough_session_create_options in = { .title = title };
    struct bough_session *out;
    struct bough_error err;

    must(bough_session_create(s, a, &in, &out, &err), &err, "create");
    memcpy(id, out->id, BOUGH_ID_LEN + 1);
    bough_arena_destroy(a);
}

void append_one(struct bough_store *s, struct bough_arena *a, const char *session, size_t i)
{
    struct bough_entry_new entry = message_entry(i);
    struct bough_append_options in = { .entries = &entry, .n = 1 };
    struct bough_append_result out;
    struct bough_error err;

    bough_arena_reset(a);
    must(bough_append(s, a, session, &in, &out, &err), &err, "append");
}

size_t append_many(struct bough_store *s, const char *session, size_t from, size_t n)
{
    enum { MOST = 1000 };
    struct bough_entry_new *entries = mem_alloc(mem_array(MOST, sizeof *entries));
    struct bough_arena *a = bough_arena_create();
    struct bough_append_options in = { .entries = entries };
    struct bough_append_result out;
    struct bough_error err;
    size_t content = 0;

    for (size_t i = 0; i < n; i += in.n) {
        in.n = n - i < MOST ? n - i : MOST;
        for (size_t k = 0; k < in.n; k++) {
            entries[k] = message_entry(from + i + k);
            content += message(from + i + k)->content;
        }
        bough_arena_reset(a);
        must(bough_append(s, a, session, &in, &out, &err), &err, "append");
    }
    bough_arena_destroy(a);
    mem_free(entries);
    return content;
}

size_t read_path(struct bough_store *s, struct bough_arena *a, const char *session,
                 const struct bough_entries_read_options *how)
{
    struct bough_entries_read_result out;
    struct bough_error err;

    bough_arena_reset(a);
    must(bough_entries_read(s, a, session, how, &out, &err), &err, "read");
    return out.entries.n;
}
