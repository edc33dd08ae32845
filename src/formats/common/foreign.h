/* Entries that another tool wrote, as turns for the tool whose file is written. Pure. */
#ifndef FORMATS_COMMON_FOREIGN_H
#define FORMATS_COMMON_FOREIGN_H

#include "core/words/words.h"
#include "formats/common/format.h"

/* In a line or message that stands for an entry of the store it was exported from: the id of that
 * entry. In the first one also that of the session, a space, and the id that the file gives the
 * session. An import into that store recognises them. */
#define FOREIGN_ENTRY "bough.entry"
#define FOREIGN_SESSION "bough.session"

/* The turns of a run by these rules, in w->a. Corrections are applied. */
void foreign_turns(struct writing *w, const struct written_run *run,
                   const struct turns_rules *rules, struct turns *out);

/* What the entries of a turn spent together, an entry only in the first turn that has a piece of
 * it: `done` is the index behind the last entry counted so far, 0 at first. False: nothing. */
bool foreign_usage(const struct written_run *run, const struct turn *t, size_t *done,
                   struct bough_totals *out);

/* The id of an entry or a session by which a store knows it: the one it was imported with, or its
 * own. */
const char *entry_name(const struct bough_entry *e);
const char *session_name(const struct bough_session *s);

/* Write the members that name the entry and, if `as` is set, the session, which has the id `as` in
 * this file. */
void foreign_mark(struct writing *w, struct json_writer *jw, const struct bough_entry *e,
                  const char *as);

/* Read them. The entry that the line stands for, or NULL. */
const char *foreign_entry(struct bough_arena *a, struct json line);
/* The session that the file was exported from, or NULL; *copy: the file has another id now, so it
 * is a copy that the tool made. */
const char *foreign_session(struct bough_arena *a, struct json line, const char *id, bool *copy);

#endif
