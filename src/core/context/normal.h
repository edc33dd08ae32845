/*
 * The normal form of a conversation, version 1: equal conversations give equal text, and so an
 * equal hash, whichever tool's format they came in. Hashes are never stored. The version is part of
 * the hash, so that hashes of different versions of these rules never match.
 *
 * One line of JSON for each run of content in a message, and one for each tool result in it:
 *
 *   ["user",[["text","hi"],["file","image/png","sha256:..."]]]
 *   ["assistant",[["reasoning","hm"],["call","bash",{"command":"ls"}]]]
 *   ["tool","bash: not found",true]
 *
 * Included: the role; text; the text of reasoning; a tool's name and its arguments as canonical
 * JSON (also if they came as a string of JSON); a result's text and whether it failed; a file's
 * type with the hash of its base64 or, without bytes, its URL; pi's `!command` and its output;
 * other parts as canonical JSON.
 *
 * Ignored: ids, times, usage, models, signatures and encrypted reasoning, empty text, whether
 * content was a string or one text part, the message that a result came in (only the order counts),
 * call ids (results follow calls in order), the tool's name in a result, data and metadata, and
 * parts of the types step-start, step-finish, snapshot, patch, compaction and retry. The role
 * "developer" counts as "system"; results have the role "tool" in every format.
 *
 * Only messages and custom messages that are not deleted count. Other entries add no line.
 * Compactions add none because a summary does not change the conversation.
 */
#ifndef CORE_CONTEXT_NORMAL_H
#define CORE_CONTEXT_NORMAL_H

#include <bough/model.h>

#include "base/hash/sha256.h"
#include "base/memory/buf.h"

/* Append the lines of one entry, each ending in a newline; none for entries that do not count. */
void normal_message(struct buf *out, const struct bough_entry *e);

/*
 * Hash of one entry, to find where two histories overlap. All entries that do not count have the
 * same hash.
 */
void normal_message_hash(const struct bough_entry *e, unsigned char out[SHA256_LEN]);

/* Hash of a path: init, add each entry, oldest first, then final or finish. */
struct normal_hash {
    struct sha256 sha;
};

void normal_hash_init(struct normal_hash *h);
void normal_hash_add(struct normal_hash *h, const struct bough_entry *e);
void normal_hash_final(struct normal_hash *h, char out[2 * SHA256_LEN + 1]); /* hex; also frees */
void normal_hash_finish(struct normal_hash *h); /* frees without a result; allowed after final */

#endif
