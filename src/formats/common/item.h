/* Items: what a reader produces from a file, and the importer places into a store. */
#ifndef FORMATS_COMMON_ITEM_H
#define FORMATS_COMMON_ITEM_H

#include <bough/notes.h>
#include <bough/queue.h>
#include <bough/session.h>

enum item_kind {
    ITEM_SESSION, /* the items after it belong to it, until the next one */
    ITEM_ENTRY,
    ITEM_HEAD,  /* the session's head: `id`, "" for nothing */
    ITEM_TITLE, /* the session's title, when the file sets it later: `id` */
    ITEM_ALIAS, /* another id of an entry: its children hang on that entry */
    ITEM_CALL,  /* a provider call; comes before the entries it produced */
    ITEM_LABEL,
    ITEM_MEMORY,  /* of the session; one of a project or the store may come before any session */
    ITEM_PROMPT,  /* of the session's queue, in order */
    ITEM_TODOS,   /* the complete list */
    ITEM_LOST,    /* a line that a problem describes is missing: entries whose parent it was follow
                     the entry before it */
    ITEM_PROBLEM, /* something that is unreadable or invalid */
};

struct packed_entry;

struct item_session {
    const char *id; /* the tool's id of the session */
    const char *title, *project, *workspace, *account, *slug;
    const char *parent; /* id or file of the session it was forked from or spawned by */
    /* The last inherited entry, if the file does not contain the inherited entries. */
    const char *fork_entry;
    const char *spawned_by; /* the tool call that spawned it; a subagent inherits no entries */
    const char *model_provider, *model_name, *provider_path, *role_name;
    const char *system_prompt, *user_name, *version;
    int64_t created;
    struct bough_str data, metadata; /* raw JSON: every field without its own member */
    enum bough_totals_mode totals_mode;
    struct bough_totals adjusted;
    bool subagent;
    /* A session of the store that the file was exported from, by any id of it; NULL: none. `copy`:
     * the tool has copied it since, so that it is a fork. */
    const char *exported_from;
    bool copy;
    bool inherits;     /* the file begins with the inherited entries, under the same ids */
    bool finds_parent; /* parent is not named: it is the session that has the first entry */
    bool exact;        /* complete: take title, status and ids exactly as they are here */
    bool archived;
    int64_t deleted; /* when; 0: not deleted */
};

struct item_call {
    int64_t n; /* the number by which entries of the file refer to it; 0: none does */
    struct bough_call_new call;
};

struct item_label {
    const char *entry, *text; /* text "" removes the label */
    int64_t time;             /* 0: unknown */
};

struct item_alias {
    const char *id, *entry; /* entry NULL: children of `id` are roots */
};

struct item_entry {
    const char *id;     /* unique in its session; NULL: it has none */
    const char *parent; /* id of its parent; NULL: a root */
    bool next;          /* its parent is the entry before it; `parent` is ignored */
    bool aside;         /* its parent is incidental */
    /* The entry of session.exported_from that an export made it of, by any id of it; NULL: none.
     * Where that entry is in the store, this is no other one. */
    const char *stands_for;
    const char *kept; /* a compaction: id of the first entry it keeps, if its data does not say */
    struct bough_entry_new entry;
    int64_t call;    /* number of the ITEM_CALL that produced it; 0: none */
    bool uncounted;  /* its usage is counted elsewhere: it has no call */
    int64_t deleted; /* when; 0: not deleted */
    /* Set between reader and importer: the entry, packed ahead. NULL: it is not. */
    const struct packed_entry *packed;
};

struct item {
    enum item_kind kind;
    int64_t line; /* of the file, from 1; 0: unknown */
    union {
        struct item_session session;
        struct item_entry entry;
        const char *id;
        struct item_call call;
        struct item_label label;
        struct item_alias alias;
        struct bough_memory memory; /* `of` is used for projects only */
        struct bough_prompt prompt;
        struct bough_todos todos;
        const char *problem;
    } u;
};

#endif
