/* Character classes of RFC 9110 and RFC 3986, in one table. */
#ifndef HTTP_PARSE_CHARS_H
#define HTTP_PARSE_CHARS_H

#include <stdbool.h>

enum chars_class {
    CHARS_TOKEN = 1,  /* methods, header names */
    CHARS_TARGET = 2, /* request targets, "%" included */
    CHARS_HOST = 4,   /* names and IPv4 addresses */
};

extern const unsigned char chars_table[256];

static inline bool chars_is(char c, enum chars_class what)
{
    return (chars_table[(unsigned char)c] & what) != 0;
}

static inline bool chars_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline int chars_hex_value(char c)
{
    if (chars_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline bool chars_hex(char c)
{
    return chars_hex_value(c) >= 0;
}

static inline char chars_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

#endif
