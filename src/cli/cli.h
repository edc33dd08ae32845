/*
 * The bough command. A command is one file in src/cli/cmd/ that ends in a `const struct cli_cmd`,
 * and one line in commands.c. Option parsing and every help text come from that struct.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <bough/bough.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/out.h"

/* What the program exits with. */
enum cli_exit {
    CLI_DONE = 0,
    CLI_FAILED = 1, /* it did not work, or there was nothing to find */
    CLI_USAGE = 2,  /* the command line was wrong; nothing was done */
};

/* One row of an options table; the table ends with { 0 }. */
struct cli_option {
    const char *name;  /* "json" for --json */
    char letter;       /* 'j' for -j; 0: no short form */
    const char *value; /* what help calls its value, "URL"; NULL: a flag */
    const char *about; /* one line, small letter, no full stop */
};

struct cli;

struct cli_cmd {
    const char *name;
    const char *args;    /* "<session> [entry]"; "..." at the end for any number more */
    const char *summary; /* one line, small letter, no full stop */
    const struct cli_option *options; /* NULL: none of its own */
    int (*run)(struct cli *c);        /* an enum cli_exit */
    bool minus_words;    /* -word is an argument; its options of one letter stand alone */
    int64_t cache_bytes; /* of the store, when it needs less than others; 0: as usual */
    /* For its help page and the manual; each may be NULL. */
    const char *about;    /* sentences, "\n\n" between paragraphs */
    const char *columns;  /* what is printed, tab-separated, into a pipe */
    const char *fields;   /* names in its --json */
    const char *examples; /* lines: a command line, two blanks, "# " and what it does */
};

enum { CLI_MAX_OPTIONS = 32 };

/* What a command is given. argc and argv hold only its arguments, already counted against `args`.
 */
struct cli {
    const struct cli_cmd *cmd;
    int argc;
    char **argv;
    struct cli_given {
        const struct cli_option *option;
        const char *value;    /* "" for a flag */
    } given[CLI_MAX_OPTIONS]; /* in the order they came */
    int n_given;
    char store[4096]; /* where the store is; see cli_store_url */
    struct out out;
    struct bough_arena *a;  /* for as long as the program runs */
    struct bough_store *s;  /* after cli_open */
    struct bough_error err; /* of the last call */
};

/* ---- commands.c ---- */

extern const struct cli_cmd *const cli_commands[]; /* sorted by name, ends with NULL */
const struct cli_cmd *cli_find(const char *name);  /* NULL when there is none */

/* ---- args.c ---- */

/* The options that stand before the command; every command takes them too. */
extern const struct cli_option cli_common[];

/*
 * Read the options in argv[1..] into c. Before the command is known (c->cmd NULL) it stops at the
 * first argument that is not an option. Returns CLI_DONE, or CLI_USAGE when it has complained.
 */
int cli_parse(struct cli *c, int argc, char **argv);

bool cli_has(const struct cli *c, const char *name);          /* was --name given? */
const char *cli_value(const struct cli *c, const char *name); /* the last one's; NULL: not given */

/* Say what is wrong with the command line and where its help is. Returns CLI_USAGE. */
int cli_usage(const struct cli *c, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* Say what went wrong and what to do next. Returns the exit code that belongs to the error. */
int cli_error(const struct cli *c, const struct bough_error *err);

/*
 * The store to work on: --store, $BOUGH_STORE, $XDG_DATA_HOME/bough/bough.db or
 * ~/.local/share/bough/bough.db. Lives in c. NULL when there is no home to put it in: complained.
 */
const char *cli_store_url(struct cli *c);

/* Open that store. Returns CLI_DONE, or the exit code when it has complained. */
int cli_store_open(struct cli *c, struct bough_store **out, const struct bough_options *options);

/* A setting, from the environment or the file; NULL when there is none. A file that cannot be read
 * is complained about once. See config.h. */
const char *cli_setting(struct cli *c, const char *name);

/* ---- ask.c: what most commands begin with. Those that return int: CLI_DONE, or the exit code when
 * they have complained. ---- */

/* CLI_INDEX: reading that brings the index up to date where the store can be written. */
enum cli_open { CLI_READ, CLI_INDEX, CLI_WRITE, CLI_CREATE };

int cli_open(struct cli *c, enum cli_open how); /* sets c->s; CLI_CREATE makes a missing store */
int cli_failed(struct cli *c);                  /* cli_error of c->err */

/* Through $BOUGH_PAGER, the setting, $PAGER or less, when a person reads it. */
void cli_page(struct cli *c);

/* A confirmation: said only when a person reads it. One line, made safe. */
void cli_say(const struct cli *c, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* An id, a slug, #number, a unique prefix, or "." for the latest session of this directory. */
int cli_session(struct cli *c, const char *text, struct bough_session **out);

/* An entry of a session: an id, #branch.depth, @message-number, a label, or "head". Gives its id.
 */
int cli_entry(struct cli *c, const char *session, const char *text, const char **id);

const char *cli_here(struct cli *c); /* this directory; "" when it is gone */

int cli_number(struct cli *c, const char *option, int64_t fallback, int64_t *out); /* from 0 on */
int cli_when(struct cli *c, const char *option, int64_t *ms); /* 0 when not given */
int cli_money(struct cli *c, const char *option, int64_t *nano);

/* The text itself, or everything on stdin for "-". */
int cli_input(struct cli *c, const char *text, struct bough_str *out);
int cli_text(struct cli *c, const char *text, const char **out); /* as a C string, no end-of-line */

/* "Sure?" on a terminal; without one only --yes will do. */
int cli_confirm(struct cli *c, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* Do it to each session named on the command line, and say "<done> #3 slug". */
typedef enum bough_rc cli_change(struct bough_store *s, const char *id, struct bough_error *err);
int cli_each(struct cli *c, cli_change *change, const char *done);

int cli_put_session(struct cli *c, const char *id); /* with --json: the session as it is now */

const char *cli_title(const struct bough_session *s); /* its title, else its first user message */

/* ---- the commands: src/cli/cmd/<name>.c ---- */

extern const struct cli_cmd cmd_append;
extern const struct cli_cmd cmd_archive;
extern const struct cli_cmd cmd_backup;
extern const struct cli_cmd cmd_branch;
extern const struct cli_cmd cmd_compact;
extern const struct cli_cmd cmd_completion;
extern const struct cli_cmd cmd_config;
extern const struct cli_cmd cmd_context;
extern const struct cli_cmd cmd_continue;
extern const struct cli_cmd cmd_cost;
extern const struct cli_cmd cmd_demo;
extern const struct cli_cmd cmd_diff;
extern const struct cli_cmd cmd_doctor;
extern const struct cli_cmd cmd_export;
extern const struct cli_cmd cmd_fork;
extern const struct cli_cmd cmd_fsck;
extern const struct cli_cmd cmd_head;
extern const struct cli_cmd cmd_help;
extern const struct cli_cmd cmd_import;
extern const struct cli_cmd cmd_label;
extern const struct cli_cmd cmd_log;
extern const struct cli_cmd cmd_ls;
extern const struct cli_cmd cmd_markers;
extern const struct cli_cmd cmd_memory;
extern const struct cli_cmd cmd_migrate;
extern const struct cli_cmd cmd_new;
extern const struct cli_cmd cmd_purge;
extern const struct cli_cmd cmd_queue;
extern const struct cli_cmd cmd_rename;
extern const struct cli_cmd cmd_restore;
extern const struct cli_cmd cmd_restore_backup;
extern const struct cli_cmd cmd_rm;
extern const struct cli_cmd cmd_search;
extern const struct cli_cmd cmd_serve;
extern const struct cli_cmd cmd_show;
extern const struct cli_cmd cmd_sql;
extern const struct cli_cmd cmd_stats;
extern const struct cli_cmd cmd_todo;
extern const struct cli_cmd cmd_token;
extern const struct cli_cmd cmd_tree;
extern const struct cli_cmd cmd_unarchive;
extern const struct cli_cmd cmd_version;

#endif
