/* Filling the error object, and the table of codes generated from BOUGH_CODES. */
#include <bough/error.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct code {
    const char *name;
    int http;
    int exit;
    const char *hint;
};

static const struct code codes[] = {
#define CODE_ROW(NAME, name, http, code, hint) { #name, http, code, hint },
    BOUGH_CODES(CODE_ROW)
#undef CODE_ROW
};

/* A code from a newer library or a bad cast must not read past the table. */
static const struct code *find(enum bough_rc rc)
{
    static const struct code strange = { "unknown_code", 500, 1, "" };

    return (size_t)rc < sizeof codes / sizeof codes[0] ? &codes[rc] : &strange;
}

enum bough_rc bough_fail(struct bough_error *err, enum bough_rc rc, const char *fmt, ...)
{
    va_list ap;

    if (!err)
        return rc;
    err->rc = rc;
    err->head = (struct bough_head){ 0, 0 };
    err->hint = NULL;
    va_start(ap, fmt);
    if (vsnprintf(err->msg, sizeof err->msg, fmt, ap) < 0)
        err->msg[0] = '\0';
    va_end(ap);
    return rc;
}

enum bough_rc bough_hint(struct bough_error *err, enum bough_rc rc, const char *hint)
{
    if (err)
        err->hint = hint;
    return rc;
}

const char *bough_rc_name(enum bough_rc rc)
{
    return find(rc)->name;
}

int bough_rc_http(enum bough_rc rc)
{
    return find(rc)->http;
}

int bough_rc_exit(enum bough_rc rc)
{
    return find(rc)->exit;
}

const char *bough_rc_hint(enum bough_rc rc)
{
    return find(rc)->hint;
}
