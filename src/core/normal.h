/*
 * The normal form of a conversation, version 1: equal conversations are equal text, whatever
 * vocabulary they arrived in, and so have one hash. Stored hashes never exist; the version is in
 * the hash, so that a change of these rules cannot look like a change of a conversation.
 *
 * One line of JSON for what a message says and one for each tool result in it:
 *
 *   ["user",[["text","hi"],["file","image/png","sha256:..."]]]
 *   ["assistant",[["reasoning","hm"],["call","bash",{"command":"ls"}]]]
 *   ["tool","bash: not found",true]
 *
 * Significant: the role; text; the text of reasoning; a tool's name and its arguments as canonical
 * JSON (also when they came as a string of JSON); a result's text and whether it failed; a file's
 * type and its address, or the hash of its bytes; pi's `!command` and its output; other parts as
 * canonical JSON.
 *
 * Not significant: ids, times, usage, models, signatures and encrypted reasoning, empty text,
 * whether content was a string or one text part, which message a result came in (its line stands
 * where the result stood), call ids (results follow calls in order), the tool's name in a result,
 * step-start, step-finish, snapshot, patch, compaction and retry parts, and data and metadata.
 * "developer" is the role "system"; results are of the role "tool" in every vocabulary.
 *
 * Entries: messages and custom messages that are not deleted. All others add nothing, compactions
 * too: what was said does not change when it is summarised.
 */
#ifndef CORE_NORMAL_H
#define CORE_NORMAL_H

#include <bough/model.h>

#include "base/buf.h"
#include "base/sha256.h"

/* The lines of one entry, each ending in a newline; nothing for entries that do not count. */
void normal_message(struct buf *out, const struct bough_entry *e);

/* Of one entry: to find where two histories overlap. Entries that do not count hash as empty. */
void normal_message_hash(const struct bough_entry *e, unsigned char out[SHA256_LEN]);

/* Of a path, entry by entry, oldest first. */
struct normal_hash {
    struct sha256 sha;
};

void normal_hash_init(struct normal_hash *h);
void normal_hash_add(struct normal_hash *h, const struct bough_entry *e);
void normal_hash_final(struct normal_hash *h, char out[2 * SHA256_LEN + 1]); /* frees, too */
void normal_hash_finish(struct normal_hash *h); /* give up without a result; fine after final */

#endif
