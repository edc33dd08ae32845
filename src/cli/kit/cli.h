/*
 * The bough command: the table of commands, option parsing, and helpers for commands.
 *
 * Each command is one file in src/cli/cmd/ that defines a `const struct cli_cmd`, and one line in
 * commands.c. Option parsing, help, completion and the manual all come from that struct.
 */
#ifndef CLI_KIT_CLI_H
#define CLI_KIT_CLI_H

#include <bough/bough.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/term/out.h"

/* Exit codes of the program. */
enum cli_exit {
    CLI_DONE = 0,
    CLI_FAILED = 1,   /* the operation failed, or nothing was found */
    CLI_USAGE = 2,    /* the command line was wrong; nothing was done */
    CLI_SIGNAL = 128, /* plus the number of the signal that ended it, as shells say it */
};

/* One row of an options table; the table ends with { 0 }. */
struct cli_option {
    const char *name;  /* "json" for --json */
    char letter;       /* 'j' for -j; 0: no short form */
    const char *value; /* placeholder of its value in help, "URL"; NULL: a flag */
    const char *about; /* one line, small letter, no full stop */
    /* The i-th value it takes, NULL behind the last; for help and completion. NULL: any value. */
    const char *(*words)(size_t i);
    const char *const
        *one_of; /* the same as a list that ends with NULL; other values are refused */
};

#define ONE_OF(...)                                                                                \
    .one_of = (const char *const[])                                                                \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* The i-th value that an option takes; NULL behind the last, or when it takes any. */
const char *cli_word(const struct cli_option *o, size_t i);

struct cli;

struct cli_cmd {
    const char *name;
    const char *args;                 /* "<session> [entry]"; "..." at the end: any number more */
    const char *summary;              /* one line, small letter, no full stop */
    const struct cli_option *options; /* NULL: none of its own */
    int (*run)(struct cli *c);        /* an enum cli_exit */
    bool minus_words; /* -word is an argument; a one-letter option must stand alone (-n 5) */
    const char *const *arg_words; /* its first argument is one of these; for completion; or NULL */
    int64_t cache_bytes; /* store cache, when the command needs less than usual; 0: default */
    /* For the command's help page and the manual. Each may be NULL. */
    const char *about;                          /* sentences, "\n\n" between paragraphs */
    const char *(*more)(struct bough_arena *a); /* a paragraph behind it, made from a table */
    const char *columns;                        /* the tab-separated columns printed into a pipe */
    const char *fields;                         /* the names in its --json */
    const char *examples; /* one per line: a command line, two blanks, "# " and what it does */
};

enum { CLI_MAX_OPTIONS = 32 };

/* The state of a command. argc and argv hold only its arguments; their number was checked against
 * `args`. */
struct cli {
    const struct cli_cmd *const *commands; /* all, sorted by name, ends with NULL */
    const struct cli_cmd *cmd;
    int argc;
    char **argv;
    struct cli_given {
        const struct cli_option *option;
        const char *value;    /* "" for a flag */
    } given[CLI_MAX_OPTIONS]; /* in the order given */
    int n_given;
    char store[4096]; /* URL of the store; set by cli_store_url() */
    struct out out;
    struct bough_arena *a;  /* freed when the program exits */
    struct bough_store *s;  /* open after cli_open() */
    struct bough_error err; /* of the last call */
};

/* ---- args.c ---- */

const struct cli_cmd *cli_find(const struct cli *c, const char *name); /* NULL when there is none */

/* Options accepted before the command's name and by every command. */
extern const struct cli_option cli_common[];

/*
 * Read the options in argv[1..] into c. While the command is not known (c->cmd is NULL), stop at
 * the first argument that is not an option. Returns CLI_DONE, or CLI_USAGE after printing a
 * message.
 */
int cli_parse(struct cli *c, int argc, char **argv);

bool cli_has(const struct cli *c, const char *name);          /* was --name given? */
const char *cli_value(const struct cli *c, const char *name); /* of its last use; NULL: not given */

/* A word for a shell, in quotes if it needs them. */
const char *cli_shell_word(struct bough_arena *a, const char *text);

/* The command line, for a shell. The URL of a store is left out if it may hold a password. */
const char *cli_again(struct cli *c);

/* Print a message about the command line and where to find help. Returns CLI_USAGE. */
int cli_usage(const struct cli *c, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* What to do about an error: what it says itself, or advice for its code; "" for none. */
const char *cli_hint(const struct bough_error *err);

/* Print the error and a hint. Returns the exit code of the error. */
int cli_error(const struct cli *c, const struct bough_error *err);

/* CLI_USAGE, with a message, when the option is a URL with a password: arguments are public. */
int cli_no_password(struct cli *c, const char *option);
/*
 * The URL of the store: --store, $BOUGH_STORE, the setting, $XDG_DATA_HOME/bough/bough.db or
 * ~/.local/share/bough/bough.db. Points into c. NULL, after a message, when HOME is not set either
 * or the URL is too long.
 */
const char *cli_store_url(struct cli *c);

/* Open that store. Returns CLI_DONE, or an exit code after printing a message. */
int cli_store_open(struct cli *c, struct bough_store **out,
                   const struct bough_store_open_options *options);

/* The value of a setting from the environment or the configuration file; NULL when not set. Warns
 * once when the file cannot be read. See config.h. */
const char *cli_setting(struct cli *c, const char *name);

/* ---- ask.c: steps that many commands share. Functions that return int: CLI_DONE, or an exit code
 * after printing a message. ---- */

/* CLI_INDEX reads, and updates the full-text index when the store is writable. */
enum cli_open { CLI_READ, CLI_INDEX, CLI_WRITE, CLI_CREATE };

int cli_open(struct cli *c, enum cli_open how); /* sets c->s; CLI_CREATE creates a missing store */
int cli_failed(struct cli *c);                  /* cli_error of c->err */

/* Send further output through $BOUGH_PAGER, the pager setting, $PAGER or less, if stdout is a
 * terminal. */
void cli_page(struct cli *c);

/* Print a confirmation, if stdout is a terminal. One line; control characters are escaped. */
void cli_say(const struct cli *c, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* Find a session: an id, a slug, a number, a unique prefix, or "." for the latest session of this
 * directory. */
int cli_session(struct cli *c, const char *text, struct bough_session **out);

/* Find an entry of a session and return its id: an id, #branch.depth, @message-number, a label, or
 * "head". */
int cli_entry(struct cli *c, const char *session, const char *text, const char **id);

/* --project: the resolved path of a directory that exists, any other name as it is; NULL: absent */
const char *cli_project(struct cli *c);
const char *cli_here(struct cli *c); /* the current directory; "" when it was deleted */

int cli_number(struct cli *c, const char *option, int64_t fallback, int64_t *out); /* >= 0 */
int cli_when(struct cli *c, const char *option, int64_t *ms); /* 0 when not given */
int cli_money(struct cli *c, const char *option, int64_t *nano);

/* `text` itself, or all of stdin when it is "-". BOUGH_TOO_LARGE over LIMIT_APPEND_BYTES. */
int cli_input(struct cli *c, const char *text, struct bough_str *out);
int cli_text(struct cli *c, const char *text, const char **out); /* as a C string */

const char *cli_role_word(size_t i); /* the i-th role that a message can have; see cli_option */

/* Ask for confirmation on a terminal. Otherwise --yes is required. CLI_FAILED when declined. */
int cli_confirm(struct cli *c, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* Find all sessions named on the command line, c->argc of them. One that is not found is named, and
 * then nothing is to be done. */
int cli_sessions(struct cli *c, struct bough_session ***out);

/* Apply a change to each session named on the command line and print "<done> #3 slug". Nothing is
 * done if one of them does not exist; a change that fails is reported, and the others are made. */
struct cli_change {
    enum bough_rc (*make)(struct bough_store *s, const char *id, struct bough_error *err);
    const char *done; /* "Deleted" */
    /* Why there is nothing to do, "was not deleted"; NULL: there is. May be NULL. */
    const char *(*idle)(const struct bough_session *s);
};
int cli_each(struct cli *c, const struct cli_change *change);

int cli_put_session(struct cli *c, const char *id); /* with --json, print the session */

const char *cli_first_line(struct cli *c, const char *text); /* the first that is not blank */
/* Its title, or the first line of its first user message; "" without both. */
const char *cli_title(struct cli *c, const struct bough_session *s);
/* How many messages it shows, and without a title the first line of the first: those that a fork
 * inherits count. */
int cli_shown(struct cli *c, const struct bough_session *s, int64_t *messages, const char **title);

/* ---- the commands: src/cli/cmd/<name>.c ---- */

extern const struct cli_cmd cmd_agents;
extern const struct cli_cmd cmd_append;
extern const struct cli_cmd cmd_approvals;
extern const struct cli_cmd cmd_archive;
extern const struct cli_cmd cmd_backup;
extern const struct cli_cmd cmd_branch;
extern const struct cli_cmd cmd_budget;
extern const struct cli_cmd cmd_chat;
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
extern const struct cli_cmd cmd_mcp;
extern const struct cli_cmd cmd_memory;
extern const struct cli_cmd cmd_migrate;
extern const struct cli_cmd cmd_new;
extern const struct cli_cmd cmd_pick;
extern const struct cli_cmd cmd_prices;
extern const struct cli_cmd cmd_providers;
extern const struct cli_cmd cmd_purge;
extern const struct cli_cmd cmd_queue;
extern const struct cli_cmd cmd_rename;
extern const struct cli_cmd cmd_restore;
extern const struct cli_cmd cmd_restore_backup;
extern const struct cli_cmd cmd_resume;
extern const struct cli_cmd cmd_rm;
extern const struct cli_cmd cmd_run;
extern const struct cli_cmd cmd_search;
extern const struct cli_cmd cmd_serve;
extern const struct cli_cmd cmd_show;
extern const struct cli_cmd cmd_sql;
extern const struct cli_cmd cmd_stats;
extern const struct cli_cmd cmd_task;
extern const struct cli_cmd cmd_todo;
extern const struct cli_cmd cmd_token;
extern const struct cli_cmd cmd_tools;
extern const struct cli_cmd cmd_tree;
extern const struct cli_cmd cmd_unarchive;
extern const struct cli_cmd cmd_version;

#endif
