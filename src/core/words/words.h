/* Writing pieces: spans go straight into a buffer, only what differs is made. Pure. */
#ifndef CORE_WORDS_WORDS_H
#define CORE_WORDS_WORDS_H

#include "core/turns/turns.h"

/* Append a string constant. */
#define PUT(out, literal) buf_put(out, literal, sizeof(literal) - 1)

/* A text as a JSON string, with its quotes. */
void put_text(struct buf *out, const struct piece *text);
/* All texts of a list as one JSON string, `between` them (contents of a JSON string). Other pieces
 * are left out. */
void put_texts(struct buf *out, const struct piece *first, const char *between);
/* A span in quotes: contents of a JSON string. */
void put_quoted(struct buf *out, struct bough_str contents);

/* The arguments of a call as a JSON object. Anything else that was given is its member `input`. */
struct bough_str call_object(struct bough_arena *a, const struct piece *call);
/* The same as a JSON string that holds the object. */
void put_arguments(struct buf *out, struct bough_arena *a, const struct piece *call);
/* The argument of a freeform call, as a JSON string. */
void put_freeform(struct buf *out, const struct piece *call);

/* What a file is, by its type, or by its part if it has none. */
enum file_class { FILE_IMAGE, FILE_PDF, FILE_AUDIO, FILE_VIDEO, FILE_TEXT, FILE_OTHER };
enum file_class file_class(const struct piece *file);
/* Is the type one of these? Ends with NULL. */
bool file_is(const struct piece *file, const char *const *types);
/* Can it be fetched from where it is, by http or https? */
bool file_remote(const struct piece *file);
/* Are there bytes, in valid base64? */
bool file_bytes(const struct piece *file);
/* The type, as contents of a JSON string; `unknown` if it has none. */
struct bough_str file_type(const struct piece *file, const char *unknown);
/* The URL as a JSON string; a data URL if there are bytes. */
void put_url(struct buf *out, const struct piece *file);

/* How many pieces of that kind the list has. */
size_t pieces_of(const struct piece *first, enum piece_kind kind);

/* ---- the words of each provider, one file each ---- */

/* Anthropic: one content block. `a` for arguments. */
void anthropic_put(struct buf *out, struct bough_arena *a, const struct piece *p);
/* The result of a call as a block. */
void anthropic_put_result(struct buf *out, const struct piece *call);
extern const struct turns_rules anthropic_rules;

/* OpenAI chat: a turn as messages. Returns how many. */
size_t chat_put(struct buf *out, struct bough_arena *a, const struct turn *t);
extern const struct turns_rules chat_rules;

/* OpenAI responses: the next item of a turn, beginning with *p, which moves behind it. False: there
 * is none. */
bool responses_put(struct buf *out, struct bough_arena *a, const struct turn *t,
                   const struct piece **p);
/* The result of a call as an item. */
void responses_put_result(struct buf *out, const struct piece *call);
extern const struct turns_rules responses_rules;

/* Gemini: one part of a content; the result of a call as a part. */
void gemini_put(struct buf *out, struct bough_arena *a, const struct piece *p, bool sign);
void gemini_put_result(struct buf *out, const struct piece *call);
extern const struct turns_rules gemini_rules;

#endif
