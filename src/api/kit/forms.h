/* The JSON objects of sessions, entries and all other types, shared by the API and --json. Their
 * names are stable; docs/json.md describes them. */
#ifndef API_KIT_FORMS_H
#define API_KIT_FORMS_H

#include <bough/bough.h>

#include "base/json/json.h"

/* form_x() writes one object; form_in_x() writes only its members into an open object. */
void form_session(struct json_writer *w, const struct bough_session *s);
void form_in_session(struct json_writer *w, const struct bough_session *s);
void form_entry(struct json_writer *w, const struct bough_entry *e);
/* How an entry is written: as form_entry() does if all is zero. */
struct form_show {
    size_t cut; /* its JSON through form_cut() */
    bool view;  /* form_views() instead of its parts */
};
void form_entry_as(struct json_writer *w, const struct bough_entry *e, struct form_show how);
void form_in_entry(struct json_writer *w, const struct bough_entry *e, struct form_show how);
void form_call(struct json_writer *w, const struct bough_call *call);
void form_calls(struct json_writer *w, const char *key, const struct bough_calls *c); /* by id */
void form_totals(struct json_writer *w, const char *key, const struct bough_totals *t);
void form_in_totals(struct json_writer *w, const struct bough_totals *t);
void form_in_picked(struct json_writer *w, const struct bough_pick_result *out);
void form_appended(struct json_writer *w, const struct bough_append_result *out);
void form_in_appended(struct json_writer *w, const struct bough_append_result *out);
void form_branch(struct json_writer *w, const struct bough_branch *b, bool head);
void form_change(struct json_writer *w, const struct bough_change *c);
void form_context(struct json_writer *w, const struct bough_context_result *x);
void form_hit(struct json_writer *w, const struct bough_hit *hit);
void form_imported(struct json_writer *w, const struct bough_import_file_result *f,
                   const char *error);
const char *form_import_word(enum bough_import_status status); /* "grew" */
void form_budget(struct json_writer *w, const struct bough_budget *b);
void form_label(struct json_writer *w, const struct bough_label *l);
void form_lease(struct json_writer *w, const char *key, const struct bough_lease *l);
void form_memory(struct json_writer *w, const struct bough_memory *m);
void form_prompt(struct json_writer *w, const struct bough_prompt *p);
void form_purged(struct json_writer *w, const char *session,
                 const struct bough_session_purge_result *r);
void form_purge_preview(struct json_writer *w, const char *session,
                        const struct bough_session_purge_preview_result *r);
void form_in_fsck(struct json_writer *w, const struct bough_store_fsck_result *r);
void form_todos(struct json_writer *w, const struct bough_todos *t);

/*
 * Copy an object. Every string in it whose text has more than `most` bytes is cut behind a whole
 * character, and the object gets a last member "bough.cut": [{"path": JSON pointer, "bytes": size
 * of the whole text}]. Names are never cut. Anything but an object is copied as it is, and so is
 * an object that would not become smaller. `most` 0: nothing is cut.
 */
void form_cut(struct json_writer *w, struct bough_str json, size_t most);

/* The parts of an entry as views: the same members in every format. Texts of more than `cut` bytes
 * are cut; 0: none is. */
void form_views(struct json_writer *w, const char *key, const struct bough_entry *e, size_t cut);
/* The view of one part: number `index` of this entry. */
void form_part_view(struct json_writer *w, const char *entry, size_t index,
                    const struct bough_part *part, size_t cut);

void form_time(struct json_writer *w, const char *key, int64_t ms);  /* ISO 8601; 0 is null */
void form_usd(struct json_writer *w, const char *key, int64_t nano); /* number of USD, exact */
void form_head(struct json_writer *w, const char *key, struct bough_head at); /* "#1.2" or null */

#endif
