/* Strict validators, internal interface: what the files of the dialects share. */
#ifndef TESTS_LIB_STRICT_IN_H
#define TESTS_LIB_STRICT_IN_H

#include <bough/arena.h>
#include <bough/error.h>

#include "base/json/json.h"

struct strict {
    struct bough_arena *a;
    bool trailing;
    size_t at;       /* of the message that is looked at */
    const char *why; /* the first thing that is wrong, or NULL */
    struct strict_id {
        struct strict_id *next;
        const char *id, *name;
        bool answered;
    } * ids; /* of calls, newest first */
};

/* Note what is wrong, unless something was noted before. Returns false. */
bool strict_no(struct strict *s, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* The object has no member but these; those with a "!" before their name must be there. */
bool strict_keys(struct strict *s, struct json object, const char *const *names);
#define KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* A string that is not blank. */
bool strict_text(struct strict *s, struct json text, const char *what);
/* The string member `id` of a call: valid, and no other call has it. */
bool strict_call_id(struct strict *s, struct json id, const char *name, size_t most, bool words);
bool strict_name(struct strict *s, struct json name, size_t most, bool letter);
/* A string that holds a JSON object. */
bool strict_arguments(struct strict *s, struct json text);
bool strict_base64(struct strict *s, struct json data);
/* An address that a provider can fetch, or a data URL with bytes. */
bool strict_url(struct strict *s, struct json url);
bool strict_is(struct json j, const char *name, const char *value);

void strict_chat(struct strict *s, struct json messages);
void strict_responses(struct strict *s, struct json items);
void strict_anthropic(struct strict *s, struct json messages);
void strict_gemini(struct strict *s, struct json contents);

#endif
