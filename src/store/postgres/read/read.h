/* Reads of the PostgreSQL backend through a snapshot; the contracts are in
 * store/contract/backend.h. */
#ifndef STORE_POSTGRES_READ_READ_H
#define STORE_POSTGRES_READ_READ_H

#include "store/contract/backend.h"

enum bough_rc postgres_session_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                   struct session_row *out, struct bough_error *err);
enum bough_rc postgres_session_by_slug(struct snapshot *v, const char *slug, int64_t *sid,
                                       struct bough_error *err);
enum bough_rc postgres_session_made(struct snapshot *v, int64_t from, int64_t to, session_fn fn,
                                    void *user, struct bough_error *err);
enum bough_rc postgres_session_children(struct snapshot *v, int64_t sid, session_fn fn, void *user,
                                        struct bough_error *err);
enum bough_rc postgres_head_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                struct head_now *out, struct bough_error *err);
enum bough_rc postgres_branch_get(struct snapshot *v, int64_t bid, struct branch_row *out,
                                  struct bough_error *err);
enum bough_rc postgres_branch_tip(struct snapshot *v, const struct branch_row *branch, int64_t *tip,
                                  struct bough_error *err);
enum bough_rc postgres_branch_children(struct snapshot *v, int64_t parent, int64_t from, int64_t to,
                                       branch_fn fn, void *user, struct bough_error *err);
enum bough_rc postgres_branch_of(struct snapshot *v, int64_t sid, branch_fn fn, void *user,
                                 struct bough_error *err);
enum bough_rc postgres_entry_get(struct snapshot *v, struct bough_arena *a, int64_t bid,
                                 int64_t depth, struct entry_row *out, struct bough_error *err);
enum bough_rc postgres_entry_scan(struct snapshot *v, const struct entry_range *range, entry_fn fn,
                                  void *user, struct bough_error *err);
enum bough_rc postgres_mark_find(struct snapshot *v, int64_t bid, enum bough_entry_kind kind,
                                 int64_t to, int64_t *depth, struct bough_error *err);
enum bough_rc postgres_list_count(struct snapshot *v, const struct list_query *q, int64_t most,
                                  int64_t *matches, int64_t *read, struct bough_error *err);
enum bough_rc postgres_seen_find(struct snapshot *v, const unsigned char key[SEEN_KEY_BYTES],
                                 seen_fn fn, void *user, struct bough_error *err);
enum bough_rc postgres_spend_scan(struct snapshot *v, const struct spend_query *q, spend_fn fn,
                                  void *user, struct bough_error *err);
enum bough_rc postgres_mark_scan(struct snapshot *v, const int64_t *bids, size_t n,
                                 enum bough_entry_kind kind, mark_fn fn, void *user,
                                 struct bough_error *err);
enum bough_rc postgres_open_scan(struct snapshot *v, int64_t bid, int64_t from, int64_t to,
                                 open_fn fn, void *user, struct bough_error *err);
enum bough_rc postgres_draft_scan(struct snapshot *v, int64_t bid, int64_t depth, int64_t after,
                                  draft_fn fn, void *user, struct bough_error *err);
enum bough_rc postgres_alias_find(struct snapshot *v, const char *id, int64_t scope, alias_fn fn,
                                  void *user, struct bough_error *err);
enum bough_rc postgres_key_get(struct snapshot *v, struct bough_arena *a, const char *key,
                               struct key_row *out, struct bough_error *err);
enum bough_rc postgres_record_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                  int64_t kind, int64_t ord, struct record_row *out,
                                  struct bough_error *err);
enum bough_rc postgres_record_scan(struct snapshot *v, int64_t sid, int64_t kind, int64_t from,
                                   bool backwards, record_fn fn, void *user,
                                   struct bough_error *err);
enum bough_rc postgres_log_last(struct snapshot *v, int64_t *no, struct bough_error *err);
enum bough_rc postgres_log_get(struct snapshot *v, int64_t no, struct changelog_row *out,
                               struct bough_error *err);
enum bough_rc postgres_log_scan(struct snapshot *v, int64_t after, changelog_fn fn, void *user,
                                struct bough_error *err);
enum bough_rc postgres_watermark(struct snapshot *v, int64_t *no, struct bough_error *err);
enum bough_rc postgres_list_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                struct list_row *out, struct bough_error *err);
enum bough_rc postgres_blob_find(struct snapshot *v, const unsigned char hash[32],
                                 struct blob_row *out, struct bough_error *err);
enum bough_rc postgres_chunk_get(struct snapshot *v, struct bough_arena *a, int64_t bno,
                                 int64_t index, struct chunk_row *out, struct bough_error *err);
enum bough_rc postgres_link_scan(struct snapshot *v, int64_t bno, link_fn fn, void *user,
                                 struct bough_error *err);

#endif
