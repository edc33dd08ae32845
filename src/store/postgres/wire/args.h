/* The parameters of a statement. */
#ifndef STORE_POSTGRES_WIRE_ARGS_H
#define STORE_POSTGRES_WIRE_ARGS_H

#include <bough/bough.h>

enum { ARGS_MAX = 24 }; /* most parameters of one statement */

/* The parameters of a statement, in order. Texts and bytes are borrowed until the statement is
 * sent. */
struct args {
    int n;
    const char *p[ARGS_MAX];
    int len[ARGS_MAX];
    char number[ARGS_MAX][8];
};

void args_int(struct args *a, int64_t v);
void args_ints(struct args *a, const int64_t *v, int n);
void args_text(struct args *a, const char *s);    /* NULL becomes "" */
void args_set(struct args *a, int at, int64_t v); /* replace the number at position `at` */
void args_str(struct args *a, struct bough_str s);
void args_null(struct args *a);
/* Structs of args must be copied with this function, because numbers are stored inside them. */
void args_copy(struct args *to, const struct args *from);
int64_t args_number(const struct args *a, int at);

#endif
