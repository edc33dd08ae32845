/* The list of dialects. Pure. */
#include <stdio.h>

#include "base/text/str.h"
#include "core/context/dialect.h"

const struct context_dialect *const context_dialects[] = {
    &context_pi,
    &context_hygge,
    &context_ui,
    NULL,
};

const char *context_dialect_name(size_t i)
{
    return context_dialects[i] ? context_dialects[i]->name : NULL;
}

static enum bough_rc unknown(const char *name, struct bough_error *err)
{
    char known[128] = "";
    size_t i, n = 0;

    for (i = 0; context_dialects[i] && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "",
                              context_dialects[i]->name);
    if (cstr_empty(name))
        return bough_fail(err, BOUGH_INVALID, "say which dialect: %s", known);
    return bough_fail(err, BOUGH_INVALID, "there is no dialect \"%.40s\"; there are %s", name,
                      known);
}

enum bough_rc context_dialect_find(const char *name, const struct context_dialect **out,
                                   struct bough_error *err)
{
    size_t i;

    for (i = 0; context_dialects[i]; i++) {
        if (cstr_eq(context_dialects[i]->name, name)) {
            *out = context_dialects[i];
            return BOUGH_OK;
        }
    }
    return unknown(name, err);
}
