/* Formats: conversion between other tools' files and our model. Readers turn bytes into items,
 * writers turn entries into bytes. No store and no file I/O here, so every reader can be fuzzed.
 *
 * A reader gets the bytes of one file as lines, or as one document. It gives items to a sink, in
 * the order of the file: a session first, then its entries, each naming its parent. An unreadable
 * line becomes an ITEM_PROBLEM, and reading continues. Nothing is dropped without a problem.
 *
 * How a message is stored so that it can be written back unchanged: see core/context/context.h. */
#ifndef FORMATS_COMMON_FORMAT_H
#define FORMATS_COMMON_FORMAT_H

#include "base/json/json.h"
#include "base/memory/buf.h"
#include "formats/common/item.h"

/* Receives an item, which is valid only during the call. An error ends the reading. */
struct sink {
    enum bough_rc (*take)(void *user, const struct item *item, struct bough_error *err);
    void *user;
};

/* Random access to the bytes of a document. *got is less than n only at the end. */
struct doc_bytes {
    enum bough_rc (*read)(void *user, int64_t at, char *to, size_t n, size_t *got,
                          struct bough_error *err);
    void *user;
};

/* The position of a line: byte from 0, line from 1. All zero: none. */
struct line_place {
    int64_t byte, line;
};

/* The state of a reader. `kept` lives as long as the reading, `a` for one line or element. */
struct reading {
    const struct format *format;
    struct sink sink;
    struct bough_arena *kept, *a;
    const char *name; /* of the file, for formats that use it; "" if unknown */
    int64_t line;     /* the current line */
    int64_t byte;     /* of a document: where the current element begins; 0: no element */
    const struct doc_bytes *bytes;    /* of a document */
    void *state;                      /* the format's own state, in `kept` */
    const struct price_table *prices; /* in `kept`, once they were needed */

    /* For formats that can resume after an earlier reading, see format.leave. */
    int64_t at;              /* byte where the current line begins */
    struct line_place first; /* a line that must be read first, to resume */
    struct line_place again; /* then all lines from this one on; zero: none */
    bool resumed;            /* this reading resumes: lines before `again` are unknown */
};

struct written_entry {
    const struct bough_entry *e;
    const char *id;     /* the id it was imported with, or a generated one: 8 hex digits, stable */
    const char *parent; /* id of its parent; NULL: a root */
    const char *kept;   /* a compaction: id of the first entry it keeps; NULL: none */
    bool on_path;       /* it is on the path of the head */
};

/* Entries that follow each other, without deleted ones. */
struct written_run {
    struct bough_entry *entries;
    const char **ids; /* as in written_entry.id */
    size_t n;
    void *state; /* the format's own, for this run */
};

/* What a writer knows about a session. Filled by the exporter before begin(). */
struct writing {
    struct bough_arena *a; /* lives as long as the writing */
    struct buf *out;       /* the caller may empty it between calls */
    const struct bough_session *session;
    const char *parent, *fork_entry; /* ids as in written_entry.id; "" for none */
    const struct item_label *labels; /* sorted by entry id; set only for finish() */
    size_t nlabels;
    const struct bough_calls *calls;
    size_t call;                           /* index of the last call found, see answer_model() */
    const struct bough_memories *memories; /* forgotten ones, too */
    const struct bough_todos *todos;
    const struct bough_prompts *prompts;
    /* The id that this file has for an entry, named by any id of it; NULL: it is not in the file.
     * `near`: the id of the entry before it, if it was left out because it is deleted. */
    const char *(*id_of)(const struct writing *w, const char *entry, bool near);
    /* The entries that an entry must be seen with to be converted: the path of the head if it is on
     * that path, or NULL, else the entries of its branch. The same struct for all of them. Empty if
     * they cannot be read; the export then fails. */
    struct written_run *(*run_of)(const struct writing *w, const struct written_entry *we);
    void *exporter; /* for id_of() and run_of() */
    void *state;
};

enum {
    WRITES_PATH = 1, /* the path of the head */
    WRITES_TREE = 2, /* all entries in order of time, after the inherited ones of a fork */
    WRITES_OWN = 3,  /* only the session's own entries, with full ids */
};

/* Where a tool keeps its session files: a directory, searched with all below it for files with the
 * suffix of a format, or a glob pattern of files and directories. */
enum format_base {
    IN_HOME = 1, /* $HOME */
    IN_DATA,     /* $XDG_DATA_HOME, or ~/.local/share */
    IN_STATE,    /* $XDG_STATE_HOME, or ~/.local/state */
    IN_CURRENT,  /* the current directory */
};

struct format_place {
    enum format_base base;
    const char *path; /* below it */
};

/* Stored with the ids that an import gave to sessions: numbers are never changed or reused. 0 and 1
 * are store/contract/rows.h's. */
enum format_number {
    FORMAT_BOUGH = 2,
    FORMAT_PI = 3,
    FORMAT_CODEX = 4,
    FORMAT_CLAUDE_CODE = 5,
    FORMAT_OPENCODE = 6,
    FORMAT_AI_SDK = 7,
    FORMAT_ANTHROPIC = 8,
    FORMAT_OPENAI_CHAT = 9,
    FORMAT_MARKDOWN = 10,
    FORMAT_HTML = 11,
    FORMAT_HYGGE = 12,
    FORMAT_HECATE = 13,
    FORMAT_OPENAI_RESPONSES = 14,
    FORMAT_GEMINI_CLI = 15,
    FORMAT_LLM = 16,
    FORMAT_GEMINI_CLI_JSON = 17,
    FORMAT_LAST = FORMAT_GEMINI_CLI_JSON,
};

struct format_rows;

struct format {
    const char *name, *about;
    enum format_number number;
    const char *suffix; /* of its files: "jsonl"; SQLite files that it reads may end in "db" too */
    const char *tool;   /* the tool whose files these are, for people: "Claude Code"; or NULL */
    const struct format_place *places; /* of that tool; ends with { 0 }; NULL: none known */
    bool appends; /* its files only grow at the end; a change before it is an edit */

    /* May a file with these first bytes be of this format? Must not look further. */
    bool (*detect)(struct bough_str first);

    /* Exactly one of the two is set, unless the format is read from rows only. A line comes without
     * its line end. A document reads its bytes through doc.h. */
    enum bough_rc (*line)(struct reading *r, struct bough_str line, struct bough_error *err);
    enum bough_rc (*document)(struct reading *r, struct bough_error *err);
    /* After the last line. May be NULL. */
    enum bough_rc (*end)(struct reading *r, struct bough_error *err);
    /* For files that grow. Can a later reading resume after the lines read so far? leave() writes
     * what it needs into `state`, a short text without a line break. The later reading gets the
     * line `first`, then all lines from `again` on. Items of these lines are ignored, except the
     * session. Then r->resumed is set and enter() gets the text. For a line that needs an earlier
     * part of the file, the reader returns BOUGH_CONFLICT. NULL: the format cannot resume. */
    bool (*leave)(const struct reading *r, struct buf *state);
    bool (*enter)(struct reading *r, const char *state); /* false: cannot resume; NULL: no state */
    /* Frees what the state owns outside `kept`. Called at the end, also after an error. May be
     * NULL. */
    void (*drop)(struct reading *r);
    const struct format_rows *rows; /* its SQLite files; NULL: none */

    /* 0: the format is only read, and the functions below are NULL. */
    int writes;
    bool marks_deleted; /* it can mark deleted entries; others leave them out */
    void (*begin)(struct writing *w);
    void (*entry)(struct writing *w, const struct written_entry *e);
    void (*finish)(struct writing *w, const char *head); /* head: its id; NULL: at nothing */
    /* Write memories that belong to no session (w->memories only), before the first session. NULL:
     * the format has no place for them. */
    void (*notes)(struct writing *w);
};

/* Can the format be read? */
bool format_reads(const struct format *f);

/* NULL-terminated, in order of detection. */
extern const struct format *const all_formats[];
const struct format *format_find(const char *name);         /* NULL: no such format */
const struct format *format_detect(struct bough_str first); /* NULL: unknown */
/* The name of the i-th format that can be read, or written; NULL behind the last. */
const char *format_read_name(size_t i);
const char *format_written_name(size_t i);
/* Do files of any format that can be read end like this one, or like this with .gz or .zst? */
bool format_is_file(const char *file);

extern const struct format format_ai_sdk;
extern const struct format format_anthropic;
extern const struct format format_bough;
extern const struct format format_claude_code;
extern const struct format format_codex;
extern const struct format format_gemini_cli, format_gemini_cli_json;
extern const struct format format_hecate;
extern const struct format format_html;
extern const struct format format_hygge;
extern const struct format format_llm;
extern const struct format format_markdown;
extern const struct format format_openai_chat;
extern const struct format format_openai_responses;
extern const struct format format_opencode;
extern const struct format format_pi;

/* ---- shared by readers and writers: common.c, items.c ---- */

/* The provider and model of an answer: from the message, else from its call. NULL: unknown. */
void answer_model(struct writing *w, const struct bough_entry *e, const char **provider,
                  const char **model);

/* Give an item to the sink, with the current line number. */
enum bough_rc give(struct reading *r, struct item *item, struct bough_error *err);
enum bough_rc give_problem(struct reading *r, struct bough_error *err, const char *fmt, ...)
    BOUGH_PRINTF(3, 4);
/* After the problem of a line that cannot be read: see ITEM_LOST. */
enum bough_rc give_lost(struct reading *r, struct bough_error *err);

/* Check an entry and give it to the sink. An entry that the store would refuse becomes a problem
 * instead of an error. An invalid part is wrapped; part_raw() unwraps it. */
enum bough_rc give_entry(struct reading *r, struct item *item, struct bough_error *err);
struct bough_str part_raw(const struct bough_part *part);
/* `list`: an array of {content, status, priority}. Invalid todos become problems. */
enum bough_rc give_todos(struct reading *r, struct json list, struct bough_error *err);

/* Split a message: its parts go into the entry, its other members are returned, with a mark for the
 * type of `content` and with `more` (raw members, or NULL). See core/context/context.h. */
struct bough_str message_data(struct reading *r, struct json message, struct bough_entry_new *e,
                              const char *more);

/* The reverse: write the member `content` as it was read, or nothing if there was none. */
void content_put(struct json_writer *jw, const struct bough_entry *e);
/* The span of a member of a raw object; empty if absent or of another type. */
struct bough_str member_raw(struct bough_str object, const char *name, enum json_type type);

/* Parse a line as one JSON object. False: skip the line; *rc is the result to return. */
bool line_object(struct reading *r, struct bough_str line, struct json *out, enum bough_rc *rc,
                 struct bough_error *err);
/* Report a key that a line or message has twice, where its members are taken apart. Deeper values
 * are kept as they are. */
enum bough_rc tell_repeated(struct reading *r, struct json object, struct bough_error *err);
/* Helpers for detection. The first line that is JSON, or the part of it that is there; lines before
 * it are skipped. A substring test. */
struct bough_str first_line(struct bough_str first);
bool text_has(struct bough_str text, const char *what);
struct bough_str without_bom(struct bough_str text);

/* An object with all members except `names`; empty if none is left. `more`: raw members to add, or
 * NULL. In `a`. */
struct bough_str members_but(struct bough_arena *a, struct json object, const char *const *names,
                             const char *more);
/* Split a message's `content` into parts; *mark is the type it had, see core/context/context.h.
 * False: a part is invalid, see `why`. */
bool content_parts(struct bough_arena *a, struct json message, const struct bough_str **parts,
                   size_t *n, const char **mark, struct bough_error *why);
/* Copy the members of a raw object, except `but`, into the object being written. Does nothing for
 * an empty one. */
void members_put(struct json_writer *w, struct bough_str object, const char *const *but);

/* A non-negative number from a member of a JSON object, else 0; a cost in USD as nano-USD. */
int64_t number_of(struct json object, const char *name);
int64_t cost_of(struct json usd);

/* ---- prices.c ---- */

struct answered;
struct usage;

/* Set used->cost by the list prices, and return where it comes from: UNSAID if there is no price.
 */
enum bough_cost_source price_usage(struct reading *r, const struct answered *who,
                                   const struct usage *u, struct bough_totals *used);

#endif
