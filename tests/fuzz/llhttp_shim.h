/* How llhttp parses a request, for the comparison in fuzz_http.c. */
#ifndef LLHTTP_SHIM_H
#define LLHTTP_SHIM_H

#include "base/memory/buf.h"

struct llhttp_heard {
    bool accepted, upgrade;
    const char *why, *method;
    int minor;
    struct buf target, body;
    struct buf headers; /* one line each: lower-case name, ":", value without surrounding blanks */
};

/* Parse exactly one request of `n` bytes. Call llhttp_forget() afterwards. */
void llhttp_hear(struct llhttp_heard *h, const char *p, size_t n);
void llhttp_forget(struct llhttp_heard *h);

#endif
