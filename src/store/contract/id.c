/* Pack row numbers into a ULID and unpack them. */
#include "store/contract/id.h"

#include <pthread.h>

#include "base/env.h"
#include "base/limits.h"
#include "base/text/ulid.h"

_Static_assert(LIMIT_SESSION == (INT64_C(1) << 31) - 1 && LIMIT_BRANCH == LIMIT_SESSION,
               "a number has 31 bits");
_Static_assert(LIMIT_DEPTH == (INT64_C(1) << 32) - 1, "a position has 32 bits");
_Static_assert(LIMIT_RECORD == (INT64_C(1) << 28) - 1, "an ordinal has the 28 bits below the kind");

void id_format(const struct id *id, char out[BOUGH_ID_LEN + 1])
{
    struct ulid u;

    u.hi = (uint64_t)id->made << 16 | (uint64_t)id->space << 15 | (uint64_t)id->number >> 16;
    u.lo = (uint64_t)id->number << 48 | (uint64_t)id->position << 16 | ((uint64_t)id->chk & 0xffff);
    ulid_encode(u, out);
}

bool id_parse(struct bough_str text, struct id *out)
{
    struct ulid u;

    if (!ulid_decode(text.p, text.n, &u))
        return false;
    out->made = (int64_t)(u.hi >> 16);
    out->space = (int)(u.hi >> 15 & 1);
    out->number = (int64_t)((u.hi & 0x7fff) << 16 | u.lo >> 48);
    out->position = (int64_t)(u.lo >> 16 & 0xffffffff);
    out->chk = (int64_t)(u.lo & 0xffff);
    return true;
}

void id_session(int64_t made, int64_t sid, int64_t chk, char out[BOUGH_ID_LEN + 1])
{
    id_format(&(struct id){ made, 0, sid, 0, chk }, out);
}

void id_entry(int64_t made, int64_t bid, int64_t depth, int64_t chk, char out[BOUGH_ID_LEN + 1])
{
    id_format(&(struct id){ made, 0, bid, depth, chk }, out);
}

void id_record(int64_t made, int64_t sid, int64_t kind, int64_t ord, int64_t chk,
               char out[BOUGH_ID_LEN + 1])
{
    id_format(&(struct id){ made, 1, sid, kind << 28 | ord, chk }, out);
}

struct ulid id_next(struct ulid last, struct ulid fresh)
{
    uint64_t step = (fresh.lo >> 32) + 1;

    if ((fresh.hi >> 16) > (last.hi >> 16))
        return fresh;
    /* The same millisecond, or the clock went back: a random step from the last one, so that ids
     * increase and cannot be guessed. A carry reaches the time after 2^80 of them. */
    fresh.lo = last.lo + step;
    fresh.hi = last.hi + (fresh.lo < step);
    return fresh;
}

void bough_id_new(char out[BOUGH_ID_LEN + 1])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct ulid last;
    struct ulid u = { env_u64(&env_system), env_u64(&env_system) };

    u.hi = (uint64_t)env_now(&env_system) << 16 | (u.hi & 0xffff);
    pthread_mutex_lock(&lock);
    last = u = id_next(last, u);
    pthread_mutex_unlock(&lock);
    ulid_encode(u, out);
}
