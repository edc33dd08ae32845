/* ULIDs as text: encoding and decoding. */
#include "base/text/ulid.h"

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

void ulid_encode(struct ulid u, char out[ULID_LEN + 1])
{
    int i;

    /* Five bits at a time from the low end. 26 * 5 = 130, so the first character is 0 to 7. */
    for (i = ULID_LEN - 1; i >= 0; i--) {
        out[i] = alphabet[u.lo & 31];
        u.lo = u.lo >> 5 | u.hi << 59;
        u.hi >>= 5;
    }
    out[ULID_LEN] = '\0';
}

/* The value of a character, 0 to 31, or -1. */
static int digit(char c)
{
    int i;

    if (c >= 'a' && c <= 'z')
        c = (char)(c - 'a' + 'A');
    if (c >= '0' && c <= '9')
        return c - '0';
    for (i = 10; i < 32; i++)
        if (alphabet[i] == c)
            return i;
    return -1;
}

bool ulid_decode(const char *p, size_t n, struct ulid *u)
{
    struct ulid v = { 0, 0 };
    size_t i;

    if (n != ULID_LEN || p[0] < '0' || p[0] > '7')
        return false;
    for (i = 0; i < n; i++) {
        int d = digit(p[i]);

        if (d < 0)
            return false;
        v.hi = v.hi << 5 | v.lo >> 59;
        v.lo = v.lo << 5 | (unsigned)d;
    }
    *u = v;
    return true;
}
