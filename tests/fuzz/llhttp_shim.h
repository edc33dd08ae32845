/* What llhttp makes of a request, for the differential half of fuzz_http.c. */
#ifndef LLHTTP_SHIM_H
#define LLHTTP_SHIM_H

#include "base/buf.h"

struct llhttp_heard {
    bool accepted, upgrade;
    const char *why, *method;
    int minor;
    struct buf target, body;
    struct buf headers; /* a line each: lower-case name, ":", value without blanks around it */
};

/* `n` bytes are exactly one request. */
void llhttp_hear(struct llhttp_heard *h, const char *p, size_t n);
void llhttp_forget(struct llhttp_heard *h);

#endif
