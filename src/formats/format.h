/*
 * Formats: other tools' files <-> the model. Bytes in, items out; items in, bytes out. No store and
 * no files here, so that every reader can be fuzzed as it is.
 *
 * Reading: the bytes of one file come as lines, or as one document. What they say comes out as
 * items through a sink, in the order of the file: a session first, then its entries, each naming
 * the entry it follows. A line that cannot be read is an ITEM_PROBLEM and reading goes on; nothing
 * is dropped without one.
 *
 * How a message is stored so that it can be given back: see core/context.h.
 */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "base/buf.h"
#include "base/json.h"
#include "formats/item.h"

/* Takes an item, which lives until it returns. An error ends the reading. */
struct sink {
    enum bough_rc (*take)(void *user, const struct item *item, struct bough_error *err);
    void *user;
};

/* The bytes of a document, from anywhere in it: *got is below n only at its end. */
struct doc_bytes {
    enum bough_rc (*read)(void *user, int64_t at, char *to, size_t n, size_t *got,
                          struct bough_error *err);
    void *user;
};

/* Where a line stands: byte from 0, line from 1; all zero is nowhere. */
struct line_place {
    int64_t byte, line;
};

/* A reader's state: `kept` lives as long as the reading, `a` only for one line or element. */
struct reading {
    const struct format *format;
    struct sink sink;
    struct bough_arena *kept, *a;
    const char *name; /* of the file, for formats that say something with it; "" when unknown */
    int64_t line;     /* the current one */
    int64_t byte;     /* of a document: where the element at hand begins; 0: none is */
    const struct doc_bytes *bytes; /* of a document */
    void *state;                   /* the format's own, in `kept` */

    /* For formats that can go on where an earlier reading ended, see format.leave. */
    int64_t at;              /* byte: where the current line begins */
    struct line_place first; /* the line one must know first */
    struct line_place again; /* and all from this one on; nowhere: none */
    bool resumed;            /* this one goes on; what was before those lines is not known */
};

/* What a writer is given of a session, in this order: begin, entries, end. */
struct writing {
    struct bough_arena *a; /* lives as long as the writing */
    struct buf *out;       /* emptied by the caller between calls */
    const struct bough_session *session;
    const char *parent, *fork_entry; /* as written_entry.id: the ids they came with; "" for none */
    const struct item_label *labels; /* in order of their entries' ids */
    size_t nlabels;
    const struct bough_calls *calls;
    size_t call;                           /* where the last one was found */
    const struct bough_memories *memories; /* forgotten ones too */
    const struct bough_todos *todos;
    const struct bough_prompts *prompts;
    void *state;
};

struct written_entry {
    const struct bough_entry *e;
    const char *id;     /* the id it came with, or one made for it: 8 hex digits, stable */
    const char *parent; /* the same of the entry it follows; NULL: a root */
};

enum {
    WRITES_PATH = 1, /* the head's path */
    WRITES_TREE = 2, /* everything in order of time, after what a fork inherits */
    WRITES_OWN = 3,  /* only what the session wrote itself, under whole ids */
};

/* One question to another tool's SQLite file. */
struct format_query {
    const char *name;  /* of its rows, for the format; NULL: they are only asked further */
    const char *table; /* not asked when the file has no such table; NULL: always */
    const char *sql;   /* ?1 is the first column of the row it is asked for */
    const struct format_query
        *each; /* asked for every row; ends with an empty one; NULL: nothing */
};

/*
 * What is read of a tool's SQLite file, and what its rows mean. Every row comes as one JSON object
 * of all its columns. In all SQL "$" stands for the prefix of the file's tables. A reading's state
 * begins anew with every session, and so does what is kept.
 */
struct format_rows {
    const char *const *tables;       /* a file that has these is one; "$" as above */
    const char *prepare;             /* temporary tables to ask quickly; NULL: none */
    const char *sessions;            /* the rowids of its sessions, parents first */
    const struct format_query *each; /* asked for every session, by its rowid */
    enum bough_rc (*row)(struct reading *r, const char *name, struct json row,
                         struct bough_error *err);
    enum bough_rc (*end)(struct reading *r, struct bough_error *err); /* after its last row */
};

/* The rowids of a table whose rows name their parents: those without one first, then by depth and
 * time; circles, which should not be, at the end. */
#define ROWS_PARENTS_FIRST(table, parent, time)                                                    \
    "WITH RECURSIVE tree (at, id, depth) AS (SELECT rowid, id, 0 FROM " table " WHERE " parent     \
    " IS NULL OR " parent " NOT IN (SELECT id FROM " table " WHERE id IS NOT NULL)"                \
    " UNION ALL SELECT s.rowid, s.id, tree.depth + 1 FROM tree JOIN " table " s ON s." parent      \
    " = tree.id) SELECT s.rowid FROM " table " s LEFT JOIN tree ON tree.at = s.rowid"              \
    " ORDER BY tree.depth IS NULL, tree.depth, s." time ", s.rowid"

struct format {
    const char *name, *about;
    const char *suffix; /* of files it writes: "jsonl" */
    bool appends;       /* its files only grow at their end; other bytes before it are an edit */

    /* Could a file that begins like this be one? Looks at these bytes only. */
    bool (*detect)(struct bough_str first);

    /* One of the two is set, unless it is only read from rows. A line comes without its end; a
     * document is asked for (doc.h). */
    enum bough_rc (*line)(struct reading *r, struct bough_str line, struct bough_error *err);
    enum bough_rc (*document)(struct reading *r, struct bough_error *err);
    /* After the last line. May be NULL. */
    enum bough_rc (*end)(struct reading *r, struct bough_error *err);
    /*
     * Files that grow: could a later reading go on behind the lines so far? It is given the line
     * `first`, then all from `again` on, and then enter() with the short text (no line break) that
     * leave() wrote, when r->resumed is set. What it gives before that is not placed, but for the
     * session. It answers BOUGH_CONFLICT for a line that it cannot read without what was before.
     * NULL: it cannot.
     */
    bool (*leave)(const struct reading *r, struct buf *state);
    bool (*enter)(struct reading *r, const char *state); /* NULL: it writes nothing */
    /* Frees what its state holds beside `kept`, when the reading is over or given up. May be NULL.
     */
    void (*drop)(struct reading *r);
    const struct format_rows *rows; /* its SQLite files; NULL: it has none */

    /* NULL: it is only read. */
    int writes;
    void (*begin)(struct writing *w);
    void (*entry)(struct writing *w, const struct written_entry *e);
    void (*finish)(struct writing *w, const char *head); /* the head's id; NULL: at nothing */
    /* What belongs to no session, before the first one: only w->memories. NULL: it has no place. */
    void (*notes)(struct writing *w);
};

/* Is there a way in? */
bool format_reads(const struct format *f);

/* Ends with NULL; in the order in which they are asked. */
extern const struct format *const all_formats[];
const struct format *format_find(const char *name);         /* NULL: none of that name */
const struct format *format_detect(struct bough_str first); /* NULL: nobody knows it */

extern const struct format format_ai_sdk;
extern const struct format format_anthropic;
extern const struct format format_bough;
extern const struct format format_claude_code;
extern const struct format format_codex;
extern const struct format format_hecate;
extern const struct format format_html;
extern const struct format format_hygge;
extern const struct format format_markdown;
extern const struct format format_openai_chat;
extern const struct format format_opencode;
extern const struct format format_pi;

/* ---- what readers and writers share: common.c ---- */

/* Who answered: as the message says, or its call; NULL: nobody knows. */
void answer_model(struct writing *w, const struct bough_entry *e, const char **provider,
                  const char **model);

/* Give an item to the sink with the current line. */
enum bough_rc give(struct reading *r, struct item *item, struct bough_error *err);
enum bough_rc give_problem(struct reading *r, struct bough_error *err, const char *fmt, ...)
    BOUGH_PRINTF(3, 4);

/* An entry, checked: what the store would refuse is a problem, not the end of the import. A part
 * that is none is wrapped; part_raw() gives it back as it came. */
enum bough_rc give_entry(struct reading *r, struct item *item, struct bough_error *err);
struct bough_str part_raw(const struct bough_part *part);
enum bough_rc give_todos(struct reading *r, struct json list, struct bough_error *err);

/* A message's members but its content, with what `content` was and `more` (raw members or NULL);
 * its parts go into the entry. See core/context.h. */
struct bough_str message_data(struct reading *r, struct json message, struct bough_entry_new *e,
                              const char *more);

/* And back: the member `content` as it came, or nothing. */
void content_put(struct json_writer *jw, const struct bough_entry *e);
/* The span of a member of a raw object; empty when it is not there, or of another type. */
struct bough_str member_raw(struct bough_str object, const char *name, enum json_type type);

/* A line that is one JSON object. False: it is not, and *rc says how to go on. */
bool line_object(struct reading *r, struct bough_str line, struct json *out, enum bough_rc *rc,
                 struct bough_error *err);
/* For detection: the first line, or what is there of it; does some text occur in it? */
struct bough_str first_line(struct bough_str first);
bool text_has(struct bough_str text, const char *what);
struct bough_str without_bom(struct bough_str text);

/* The members of an object that are not named, as an object; empty when there are none. `more` is
 * raw members to add, or NULL. */
struct bough_str members_but(struct bough_arena *a, struct json object, const char *const *names,
                             const char *more);
/* A message's `content` as parts and the mark that says what it was; see core/context.h. False: it
 * has parts that are none, and `why` says so. */
bool content_parts(struct bough_arena *a, struct json message, const struct bough_str **parts,
                   size_t *n, const char **mark, struct bough_error *why);
/* Write the members of a raw object into one that is being written; nothing for empty. */
void members_put(struct json_writer *w, struct bough_str object, const char *const *but);

/* ---- rows.c ---- */

/* A text column that should hold JSON of this type: its span. Empty when it is something else. */
struct bough_str column_json(struct reading *r, struct json row, const char *name,
                             enum json_type type);
/* Parts out of a text column: a list of them, or whatever it is as one. */
void column_parts(struct reading *r, struct json row, const char *name, struct bough_entry_new *e);
/* What a row has beside these columns, under one name: {"hygge.row":{...}}. */
struct bough_str row_rest(struct reading *r, struct json row, const char *const *but,
                          const char *name);

/* Tokens and cost as nano-USD from a JSON object by the names of its members. */
int64_t number_of(struct json object, const char *name);
int64_t cost_of(struct json usd);

#endif
