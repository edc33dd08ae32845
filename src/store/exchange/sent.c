/* A request as it is compared with what is stored. */
#include <string.h>

#include "base/limits.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/part/part.h"
#include "core/wire/request.h"
#include "store/exchange/exchange.h"

int64_t short_digest(const void *p, size_t n)
{
    unsigned char sum[SHA256_LEN];
    int64_t out;

    sha256(p, n, sum);
    memcpy(&out, sum, sizeof out);
    return (out & INT64_MAX) | 1;
}

enum bough_rc sent_entry(struct bough_arena *a, const struct bough_entry_new *in, size_t index,
                         struct bough_entry *out, struct bough_error *err)
{
    struct bough_part *parts = arena_array(a, in->nparts + 2, sizeof *parts);
    struct bough_error why;
    size_t n = 0;
    enum bough_rc rc = RESERVED_CHECK(bough_entry_new, in, err);

    if (rc)
        return rc;
    if ((unsigned)in->role > BOUGH_ROLE_LAST || in->role == BOUGH_ROLE_NONE ||
        in->kind != BOUGH_ENTRY_MESSAGE)
        return bough_fail(err, BOUGH_INVALID, "message %zu has no role", index + 1);
    for (; n < in->nparts; n++) {
        parts[n].json = in->parts[n];
        rc = bough_part_check(in->parts[n], &parts[n].type, &why);
        if (rc)
            return bough_fail(err, rc, "message %zu, part %zu: %.200s", index + 1, n + 1, why.msg);
    }
    if (in->text)
        parts[n++] = (struct bough_part){ BOUGH_PART_TEXT, bough_part_text(a, str_of(in->text)) };
    *out = (struct bough_entry){ .kind = BOUGH_ENTRY_MESSAGE,
                                 .kind_name = "",
                                 .session = "",
                                 .origin = "",
                                 .finish = in->finish ? in->finish : "",
                                 .role = in->role,
                                 .error = in->error,
                                 .data = in->data,
                                 .metadata = in->metadata,
                                 .parts = parts,
                                 .nparts = n };
    return BOUGH_OK;
}

enum bough_rc sent_read(struct bough_arena *a, const struct bough_exchange_begin_options *in,
                        struct sent *out, struct bough_error *err)
{
    struct bough_entry *entries;
    enum bough_rc rc = BOUGH_OK;

    *out = (struct sent){ 0 };
    chain_init(&out->chain);
    if (in->nhistory > LIMIT_APPEND_ENTRIES)
        return bough_fail(err, BOUGH_TOO_LARGE, "a request has at most %d messages, not %zu",
                          LIMIT_APPEND_ENTRIES, in->nhistory);
    entries = arena_array(a, in->nhistory + 1, sizeof *entries);
    for (size_t i = 0; i < in->nhistory && !rc; i++)
        rc = sent_entry(a, &in->history[i], i, &entries[i], err);
    if (rc)
        return rc;
    out->h = (struct history){ .entries = entries, .n = in->nhistory };
    history_units(a, &out->h, false);
    chain_finish(&out->chain);
    out->links = chain_replies(&out->h.units, &out->nlinks, &out->chain);
    out->whole = chain_link(&out->chain, out->h.units.n);
    out->system = wire_system_text(a, in->system, in->nsystem);
    if (out->system.n)
        out->system_sum = short_digest(out->system.p, out->system.n);
    if (in->parameters.n)
        out->parameters_sum = short_digest(in->parameters.p, in->parameters.n);
    return BOUGH_OK;
}

void sent_finish(struct sent *s)
{
    chain_finish(&s->chain);
}
