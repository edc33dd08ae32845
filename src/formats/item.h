/* Items: what a reader makes of a file, and a store is filled with. */
#ifndef FORMATS_ITEM_H
#define FORMATS_ITEM_H

#include <bough/notes.h>
#include <bough/queue.h>
#include <bough/session.h>

enum item_kind {
    ITEM_SESSION, /* what follows belongs to it, until the next one */
    ITEM_ENTRY,
    ITEM_HEAD,  /* where the session was left: `id`, "" for nothing */
    ITEM_TITLE, /* what the session is called, said after it began: `id` */
    ITEM_ALIAS, /* another name for an entry: what follows the one follows the other */
    ITEM_CALL,  /* before the entries it produced */
    ITEM_LABEL,
    ITEM_MEMORY,  /* of the session; of a project or the store also before any session */
    ITEM_PROMPT,  /* of its queue, in order */
    ITEM_TODOS,   /* the whole list */
    ITEM_PROBLEM, /* what could not be read, or is not as it should be */
};

struct item_session {
    const char *id; /* as its tool calls it */
    const char *title, *project, *workspace, *account, *slug;
    const char *parent;     /* id of the session it was forked from or spawned by, or its file */
    const char *fork_entry; /* the last entry it inherits, when its file does not begin with them */
    const char *spawned_by; /* the tool call that spawned it: a subagent, without history */
    const char *model_provider, *model_name, *provider_path, *role_name;
    const char *system_prompt, *user_name, *version;
    int64_t created;
    struct bough_str data, metadata; /* raw JSON: every field without a place of its own */
    enum bough_totals_mode totals_mode;
    struct bough_totals adjusted;
    bool subagent;
    bool inherits;     /* its file begins with what it was forked from, under the same ids */
    bool finds_parent; /* which is not named: whoever has its first entry */
    bool exact;        /* everything about it is said: title, status, ids are as they are here */
    bool archived;
    int64_t deleted; /* when; 0: it is not */
};

struct item_call {
    int64_t n; /* what entries of the file call it; 0: none does */
    struct bough_call_new call;
};

struct item_label {
    const char *entry, *text; /* "" clears */
    int64_t time;             /* 0: not known */
};

struct item_alias {
    const char *id, *entry; /* NULL: of nothing */
};

struct item_entry {
    const char *id;     /* unique in its session; NULL: it has none */
    const char *parent; /* the entry it follows; NULL: a root */
    bool next;          /* follows the entry before it, whatever that is called */
    bool aside;         /* stands between others by chance: nothing is said by where it hangs */
    struct bough_entry_new entry;
    int64_t call;    /* the ITEM_CALL that produced it; 0: none */
    int64_t deleted; /* when; 0: it is not */
};

struct item {
    enum item_kind kind;
    int64_t line; /* of the file, from 1; 0: not known */
    union {
        struct item_session session;
        struct item_entry entry;
        const char *id;
        struct item_call call;
        struct item_label label;
        struct item_alias alias;
        struct bough_memory memory; /* `of` counts only for a project */
        struct bough_prompt prompt;
        struct bough_todos todos;
        const char *problem;
    } u;
};

#endif
