/*
 * The built-in tools: tables of tools, one a server, and what a call of one gets.
 *
 * A tool's arguments are a table of fields. The JSON schema that a model sees is printed from it,
 * and arguments are checked against it before the tool runs.
 */
#ifndef TOOLS_BUILTIN_BUILTIN_H
#define TOOLS_BUILTIN_BUILTIN_H

#include <bough/store.h>

#include "base/json/json.h"
#include "tools/tools.h"

/* What a tool set gives to its built-in tools. */
struct builtin_scene {
    struct bough_store *store; /* NULL: there is none */
    const char *workspace;     /* "": none */
    int dir;                   /* of the workspace; -1: none */
    const char *session, *project;
    struct children *children; /* NULL: programs cannot be started */
    const struct shell_rules *shell;
    const char *const *environment; /* of commands: "NAME=value", ends with NULL */
};

enum field_type { FIELD_TEXT, FIELD_INTEGER, FIELD_FLAG, FIELD_TODOS };

/* An argument. A table ends with { 0 }. */
struct builtin_field {
    const char *name;
    enum field_type type;
    const char *about;         /* for a model */
    int64_t least, most;       /* of an integer; `most` of the bytes of a text, or of todos */
    const char *const *choice; /* the values a text can have, ended by NULL; NULL: any */
    bool required;
};

struct builtin_call {
    const struct builtin_scene *in;
    const struct tool_call *call;
    struct bough_arena *a;
    struct json args; /* an object that fits the fields */
    struct tool_result *out;
};

struct builtin_tool {
    const char *name, *title, *description, *kind;
    const struct builtin_field *fields;
    bool reads_only;
    void (*run)(struct builtin_call *c);
};

struct builtin_server {
    const char *name;
    const struct builtin_tool *tools; /* ends with { 0 } */
    /* Why the tools cannot be used in this scene, a constant; NULL: they can. */
    const char *(*missing)(const struct builtin_scene *in);
};

extern const struct builtin_server builtin_files, builtin_bough, builtin_shell, builtin_demo;
extern const struct builtin_server *const builtin_servers[]; /* ends with NULL */

/* ---- arguments ---- */

/* The JSON schema of the arguments, in the arena. */
struct bough_str builtin_schema(struct bough_arena *a, const struct builtin_field *fields);

/* Parse and check arguments. BOUGH_INVALID says what to change. Empty text is {}. */
BOUGH_MUST_CHECK enum bough_rc builtin_arguments(struct bough_arena *a,
                                                 const struct builtin_field *fields,
                                                 struct bough_str text, struct json *out,
                                                 struct bough_error *err);

/* Values of checked arguments. A text that is absent is `fallback`. */
struct bough_str arg_text(const struct builtin_call *c, const char *name);
const char *arg_cstr(const struct builtin_call *c, const char *name, const char *fallback);
int64_t arg_int(const struct builtin_call *c, const char *name, int64_t fallback);
bool arg_flag(const struct builtin_call *c, const char *name);

/* ---- results ---- */

/* The result is an error that the model reads. */
void builtin_fail(struct builtin_call *c, const char *fmt, ...) BOUGH_PRINTF(2, 3);
void builtin_say(struct builtin_call *c, const char *fmt, ...) BOUGH_PRINTF(2, 3);
bool builtin_cancelled(const struct builtin_call *c);
/* Report progress, if the caller wants it. */
void builtin_progress(const struct builtin_call *c, struct bough_str text);

/* ---- diff.c ---- */

enum { DIFF_MOST = 256 * 1024 };
/* A unified diff of two texts, without file names in front; "" if they are equal. A diff of more
 * than DIFF_MOST bytes is cut and says so. */
struct bough_str builtin_diff(struct bough_arena *a, struct bough_str before,
                              struct bough_str after);

/* ---- shell.c ---- */

struct shell_rules {
    bool on;                /* shell = yes */
    bool confine;           /* refuse to run without confinement */
    int64_t most_s;         /* time of one command */
    const char *const *env; /* names of variables it gets besides the usual ones; ends with NULL */
};

#endif
