/* Adapters: which agents there are, how each is started and what it gets of our environment. */
#ifndef ACP_ADAPTER_H
#define ACP_ADAPTER_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <stdint.h>

/* One line of a configuration: [section] name = value. */
struct adapter_line {
    const char *section, *name, *value;
};

/* What is set when no rule decides about a permission that an agent asks for. */
enum adapter_approve { ADAPTER_ASK, ADAPTER_ALLOW, ADAPTER_DENY };

struct adapter_words {
    const char **at; /* ended by NULL */
    size_t n;
};

struct adapter {
    const char *name, *title;
    struct adapter_words command; /* argv */
    struct adapter_words env;     /* names that are passed on */
    struct adapter_words set;     /* "NAME=value"; see adapter_environment() */
    enum adapter_approve approve;
    const char *mode;            /* set when a session begins, or "" */
    const char *auth;            /* method of authenticate, or "": none is called */
    bool handover;               /* give a new session the transcript of what is there already */
    bool off;                    /* it is not offered */
    int64_t memory;              /* bytes; 0: no limit */
    const char *install, *login; /* what to do, or "" */
};

enum { ADAPTERS_MOST = 64 };

struct adapters {
    struct adapter at[ADAPTERS_MOST];
    size_t n;
};

/* The presets, and what the lines with `agent "NAME"` as section change or add; other sections are
 * ignored. Everything in `a`. BOUGH_INVALID names the section and the setting. */
BOUGH_MUST_CHECK enum bough_rc adapters_read(struct bough_arena *a, struct adapters *out,
                                             const struct adapter_line *lines, size_t n,
                                             struct bough_error *err);
const struct adapter *adapter_find(const struct adapters *all, const char *name); /* or NULL */

/* What stands for ${gateway} and ${run_token}; NULL: there is none. */
struct adapter_variables {
    const char *gateway, *run_token;
    const char *const *from; /* "our environment", ended by NULL; NULL: that of this process */
};

struct adapter_environment {
    const char **env;     /* "NAME=value", ended by NULL */
    const char **secrets; /* values that must not be shown, ended by NULL */
};

/*
 * The environment of an agent: PATH HOME USER LOGNAME LANG LC_* TZ TERM TMPDIR XDG_*, the names
 * that the adapter lists, and what it sets. In a value that it sets, ${gateway} and ${run_token}
 * are replaced; a value that is $NAME or file:PATH is read from our environment or from the file,
 * and is a secret. BOUGH_INVALID: such a value is not there.
 */
BOUGH_MUST_CHECK enum bough_rc adapter_environment(struct bough_arena *a, const struct adapter *ad,
                                                   const struct adapter_variables *v,
                                                   struct adapter_environment *out,
                                                   struct bough_error *err);

/* Does the adapter use ${run_token}? */
bool adapter_wants_token(const struct adapter *ad);

#endif
