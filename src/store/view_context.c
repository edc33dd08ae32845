/* Context: reads the part of the path a dialect needs and lets core build it. */
#include "core/context.h"

#include "base/str.h"
#include "store/engine.h"

enum bough_rc bough_context(struct bough_store *s, struct bough_arena *a, const char *session,
                            const struct bough_context_options *how, struct bough_context *out,
                            struct bough_error *err)
{
    struct bough_read read = { .at = how->at, .inherit = how->inherit, .deleted = true };
    struct context_input in = { .dialect = how->dialect, .inherit = how->inherit };
    struct bough_path path = { 0 };
    struct bough_session *there;
    enum bough_rc rc;

    /* hygge shows what its marker keeps; the others look at the whole path themselves. */
    if (cstr_eq(how->dialect, "hygge"))
        read.what = BOUGH_SINCE_MARKER;
    rc = how->at_nothing ? bough_session_get(s, a, session, &there, err)
                         : bough_entries_read(s, a, session, &read, &path, err);
    if (rc)
        return rc;
    in.entries = path.entries.at;
    in.n = path.entries.n;
    in.marker = path.marker;
    return context_build(a, &in, out, err);
}
