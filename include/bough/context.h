/* Context: what a model sees of a session, ready to send, with notes about everything in it that is
 * not verbatim. */
#ifndef BOUGH_CONTEXT_H
#define BOUGH_CONTEXT_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memories of the session, of its project and of the store. */
enum { BOUGH_MEMORIES_ALL = 7 };

struct bough_context_options {
    const char *at;      /* the path to this entry; NULL or "": to the head */
    bool at_nothing;     /* the context of an empty path */
    const char *dialect; /* "openai-chat", "openai-responses", "anthropic", "gemini", "pi", "hygge"
                            or "ui" (AI SDK); required: BOUGH_INVALID lists them */
    bool inherit;        /* markers of sessions that it was forked from count too; with pi always */
    unsigned memories;   /* begin with these memories, as one system message: bits 1 << enum
                            bough_memory_scope, BOUGH_MEMORIES_ALL, or 0. A note says how many; its
                            entry is "" */
    /* For the dialects of providers only: */
    const char *model;    /* that will read it: signed reasoning goes only to the model that it came
                             from. NULL or "": the one in force at the end of the path */
    bool trailing;        /* keep a turn of the model at the end, for callers that add a message
                             behind it; else it is left out, because the model speaks next */
    uint64_t reserved[2]; /* room to grow: must be 0 */
};

/* An entry that the context does not show verbatim. */
struct bough_context_note {
    char entry[BOUGH_ID_LEN + 1];
    const char *what;     /* one word: "omitted", "edited", "summarised", ... */
    const char *why;      /* a sentence */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_context_result {
    struct bough_str messages;  /* a JSON array, at most 4 GB */
    size_t count;               /* of messages */
    const char **sources;       /* for each message, the id of the entry that it comes from */
    const char *thinking_level; /* the last one that was set, else "off" */
    const char *model_provider, *model_name; /* the last ones that were set, else "" */
    struct bough_entry *marker;              /* the compaction in force, or NULL */
    struct bough_context_note *notes;
    size_t nnotes;
    struct bough_str system; /* anthropic, gemini: the value of `system` or `systemInstruction`;
                                JSON or empty. In other dialects it is among the messages */
    uint64_t reserved[2];    /* room to grow */
};

/* Build the context. A path with a compaction is read only from there on. BOUGH_INVALID: no
 * dialect, or one that does not exist. BOUGH_TOO_LARGE: more than 100,000 entries or 256 MB of
 * parts; compact the session, or page through bough_entries_read(). `session` and `at` fail as
 * session.h and entry.h say. */
BOUGH_MUST_CHECK enum bough_rc bough_context(struct bough_store *s, struct bough_arena *a,
                                             const char *session,
                                             const struct bough_context_options *how,
                                             struct bough_context_result *out,
                                             struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
