/* Variants of the public functions of the same name, for imports: they take a time. Time 0 is
 * now. */
#ifndef STORE_WRITE_IMPORT_API_H
#define STORE_WRITE_IMPORT_API_H

#include <bough/entry.h>
#include <bough/notes.h>
#include <bough/session.h>

/* As bough_session_create(). `from` says who gave in->id: an origin_from or a format's number. */
BOUGH_MUST_CHECK enum bough_rc session_create_from(struct bough_store *s, struct bough_arena *a,
                                                   const struct bough_session_create_options *in,
                                                   int64_t from, struct bough_session **out,
                                                   struct bough_error *err);
/* As bough_session_update(), and set the time of creation (0: keep it): the file of a session that
 * was created empty, as the parent of another, has come. */
BOUGH_MUST_CHECK enum bough_rc session_update_from(struct bough_store *s, const char *id,
                                                   const struct bough_session_update_options *edit,
                                                   int64_t created, struct bough_error *err);
/* Find a session by the id it was given, and by nothing else; *from says who gave it. */
BOUGH_MUST_CHECK enum bough_rc session_by_origin(struct bough_store *s, struct bough_arena *a,
                                                 const char *origin, struct bough_session **out,
                                                 int64_t *from, struct bough_error *err);

/* Who gave a session the id `origin`: an origin_from or a format's number. */
BOUGH_MUST_CHECK enum bough_rc session_origin_from(struct bough_store *s, const char *origin,
                                                   int64_t *from, struct bough_error *err);

/* A handle for an import, with the deadline and the principal of `s`. While it is open, the
 * background thread leaves the full text alone, as between import_hold() and import_go_on(). */
struct bough_store *import_handle(struct bough_store *s);
void import_handle_close(struct bough_store **handle);
/*
 * While imports run, the background thread does not index the full text: it would take the writer
 * role and a processor from them. Searches still index for as long as they wait. After the last
 * import_go_on() the thread indexes the backlog; a process that ends before that leaves it to the
 * next one that opens the store for writing. Calls nest.
 */
void import_hold(struct bough_store *s);
void import_go_on(struct bough_store *s);
/* The next changes through an import's handle are listed with this time, so that a session was
 * updated when its conversation last moved and not when it was imported. A time in the future
 * becomes now; 0: now. */
void import_moved(struct bough_store *handle, int64_t time);
/* Does the usage of the next entries without a call get one (U17)? Not that of copies and of what a
 * fork inherits: it is counted elsewhere. */
void import_counts(struct bough_store *handle, bool counts);

/*
 * Packing ahead: an entry is checked, packed and compressed before its append, by any thread.
 * import_pack() reads nothing of the store but its settings. It returns NULL for an entry that only
 * its append can pack or refuse: one that is invalid, has no time, is not a message, or shows
 * attachments. The result is in `a` and borrows from `in`; import_pack_keep() copies it.
 */
struct packed_entry;
const struct packed_entry *import_pack(const struct bough_store *s, struct bough_arena *a,
                                       const struct bough_entry_new *in);
const struct packed_entry *import_pack_keep(struct bough_arena *a, const struct packed_entry *p);
/* As bough_append(). packed[i] is entry i as import_pack() made it, with the same role, parts,
 * texts, usage and id; NULL: it is not packed yet. */
BOUGH_MUST_CHECK enum bough_rc
import_append(struct bough_store *s, struct bough_arena *a, const char *session,
              const struct bough_append_options *in, const struct packed_entry *const *packed,
              struct bough_append_result *out, struct bough_error *err);

BOUGH_MUST_CHECK enum bough_rc label_set_at(struct bough_store *s, const char *session,
                                            const char *entry, const char *text, int64_t time,
                                            struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc entry_delete_at(struct bough_store *s, const char *session,
                                               const char *entry, int64_t time,
                                               struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc session_delete_at(struct bough_store *s, const char *id,
                                                 int64_t time, struct bough_error *err);
/* As bough_memory_add(), but keeps in->updated, and adds the memory as deleted if in->deleted is
 * set. */
BOUGH_MUST_CHECK enum bough_rc memory_add_at(struct bough_store *s, struct bough_arena *a,
                                             const struct bough_memory *in,
                                             struct bough_error *err);
/* As bough_memory_list(), deleted memories included. */
BOUGH_MUST_CHECK enum bough_rc memory_list_all(struct bough_store *s, struct bough_arena *a,
                                               enum bough_memory_scope scope, const char *of,
                                               struct bough_memories *out, struct bough_error *err);

#endif
