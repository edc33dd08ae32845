/* Attachments: files that messages show, kept once however many do. */
#ifndef BOUGH_ATTACHMENT_H
#define BOUGH_ATTACHMENT_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Storing a file and showing it are two steps: store its bytes, then append a `file` part whose
 * `url` is what that gave back. The append fails with BOUGH_NOT_FOUND unless the bytes were stored
 * within the last day, or a path of the session shows them already. What no message shows is
 * removed a day after it was last stored.
 *
 * Base64 of 16 KB or more inside file and tool parts (data: URLs, image blocks, tool results) is
 * kept as an attachment by itself: the part comes back byte for byte, equal images are stored once.
 */
#define BOUGH_ATTACHMENT_URL_LEN 77 /* bough:sha256-<64 digits> */

struct bough_attachment {
    int64_t size;
    char url[BOUGH_ATTACHMENT_URL_LEN + 1];
    size_t part;      /* which part of the entry shows it, from 0 */
    const char *mime; /* as the part says, or "" */
    const char *name; /* the same */
};

struct bough_attachment_writer;

/* Begin to store a file of any length up to 4 GB; at most 64 KB of it are in memory. One thread at
 * a time may use the writer; it must be finished or cancelled before the store is closed. */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_begin(struct bough_store *s,
                                                      struct bough_attachment_writer **out,
                                                      struct bough_error *err);
/* After an error the writer can only be cancelled. */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_write(struct bough_attachment_writer *w,
                                                      const void *p, size_t n,
                                                      struct bough_error *err);
/* All of it is on disk now: `out` has its size and url. Sets *w to NULL, also when it fails. */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_finish(struct bough_attachment_writer **w,
                                                       struct bough_attachment *out,
                                                       struct bough_error *err);
/* Give up; what was written is removed. Sets *w to NULL; again is a no-op. */
void bough_attachment_cancel(struct bough_attachment_writer **w);

/* The same in one call: `read` fills `to` with at most `n` bytes and returns how many there are, 0
 * at the end, less than 0 to give up (BOUGH_IO). */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_store(struct bough_store *s,
                                                      long (*read)(void *user, void *to, size_t n),
                                                      void *user, struct bough_attachment *out,
                                                      struct bough_error *err);

struct bough_attachments {
    struct bough_attachment *at;
    size_t n;
};

/* What an entry on a path of the session shows, in the order of its parts. */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_list(struct bough_store *s, struct bough_arena *a,
                                                     const char *session, const char *entry,
                                                     struct bough_attachments *out,
                                                     struct bough_error *err);

/*
 * Give bytes [from, from + length) of the n-th attachment (from 0) of that list to `fn`, in order,
 * at most 1 MB at a time; length -1 is all that follows. Each piece is checked. Never by hash
 * alone: only who may see the message gets its files. `fn` returns false to stop, which is no
 * error. BOUGH_NOT_FOUND when there is no n-th, BOUGH_INVALID when the range begins behind its end.
 */
BOUGH_MUST_CHECK enum bough_rc
bough_attachment_read(struct bough_store *s, const char *session, const char *entry, size_t n,
                      int64_t from, int64_t length, bool (*fn)(void *user, const void *p, size_t n),
                      void *user, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
