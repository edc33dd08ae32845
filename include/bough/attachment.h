/*
 * Attachments: files that messages show. Equal files are stored once.
 *
 * Storing a file and showing it are two steps: store its bytes, then append a `file` part with the
 * `url` that this gave. The append is BOUGH_NOT_FOUND unless the bytes were stored within the last
 * day, or a path of the session shows them already. A file that no message shows is removed a day
 * after it was last stored.
 *
 * Base64 of 16 KB or more inside file and tool parts (data: URLs, image blocks, tool results) is
 * stored as an attachment automatically. Such a part is given back byte for byte.
 *
 * `session` and `entry` arguments are those of session.h and entry.h, and fail in the same ways.
 */
#ifndef BOUGH_ATTACHMENT_H
#define BOUGH_ATTACHMENT_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BOUGH_ATTACHMENT_URL_LEN 77 /* bough:sha256-<64 hex digits> */

struct bough_attachment {
    int64_t size; /* bytes */
    char url[BOUGH_ATTACHMENT_URL_LEN + 1];
    size_t part;          /* which part of the entry shows it, from 0 */
    const char *mime;     /* as the part says, or "" */
    const char *name;     /* as the part says, or "" */
    uint64_t reserved[4]; /* room to grow */
};

/* A file that is being stored. One thread at a time may use it. */
struct bough_attachment_writer;

/* Begin to store a file of up to 4 GB; at most 64 KB of it are in memory. *out must be finished or
 * cancelled. It has a handle of its own on the store, with the bounds of `s`. */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_begin(struct bough_store *s,
                                                      struct bough_attachment_writer **out,
                                                      struct bough_error *err);

/* Add bytes. After a failure the writer can only be cancelled. BOUGH_TOO_LARGE: more than 4 GB. */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_write(struct bough_attachment_writer *w,
                                                      const void *p, size_t n,
                                                      struct bough_error *err);

/* Finish the file: it is on disk, and `out` has its size and url. Frees the writer and sets *w to
 * NULL, also on failure. */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_finish(struct bough_attachment_writer **w,
                                                       struct bough_attachment *out,
                                                       struct bough_error *err);

/* Remove what was written, free the writer and set *w to NULL. NULL and a pointer to NULL are
 * allowed. */
void bough_attachment_cancel(struct bough_attachment_writer **w);

/* Store a file in one call. `read` puts up to `n` bytes at `to` and returns how many, 0 at the end,
 * below 0 to give up, which is BOUGH_IO. */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_store(struct bough_store *s,
                                                      long (*read)(void *user, void *to, size_t n),
                                                      void *user, struct bough_attachment *out,
                                                      struct bough_error *err);

struct bough_attachments {
    struct bough_attachment *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* The attachments that an entry shows, in the order of its parts. */
BOUGH_MUST_CHECK enum bough_rc bough_attachment_list(struct bough_store *s, struct bough_arena *a,
                                                     const char *session, const char *entry,
                                                     struct bough_attachments *out,
                                                     struct bough_error *err);

struct bough_attachment_read_options {
    size_t index;   /* which one of bough_attachment_list(), from 0 */
    int64_t from;   /* first byte */
    int64_t length; /* how many bytes; 0, or more than there are: to the end */
    bool (*write)(void *user, const void *p, size_t n); /* false: stop; required */
    void *user;                                         /* passed to `write` */
    uint64_t reserved[4];                               /* room to grow: must be 0 */
};

/* Give bytes of an attachment to `write`, in order, at most 1 MB at a time, each piece checked
 * against its checksum. Stopping is not a failure. Bytes are read through a message that shows
 * them, never by hash alone. BOUGH_NOT_FOUND: the entry shows no such attachment. BOUGH_INVALID:
 * `from` is behind its end, or negative; `session` is not given. */
BOUGH_MUST_CHECK enum bough_rc
bough_attachment_read(struct bough_store *s, const char *session, const char *entry,
                      const struct bough_attachment_read_options *how, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
