/* Requests that two HTTP parsers could read differently; each must be refused. */
#ifndef HTTP_FRAMINGS_H
#define HTTP_FRAMINGS_H

#include <stddef.h>

#define GET "GET / HTTP/1.1\r\n"
#define POST "POST / HTTP/1.1\r\nHost: h\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define BYTES(s) s, sizeof(s) - 1

struct refused_framing {
    const char *name, *text;
    size_t n;
    int status;
};

/* Each is refused at once, without waiting for bytes that may never arrive. */
static const struct refused_framing framings[] = {
    { "two different lengths", BYTES(POST "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
      400 },
    { "two equal lengths", BYTES(POST "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"), 400 },
    { "a list of lengths", BYTES(POST "Content-Length: 3, 3\r\n\r\nabc"), 400 },
    { "length and coding",
      BYTES(POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400 },
    { "coding and length",
      BYTES(POST "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"), 400 },
    { "a length with a plus", BYTES(POST "Content-Length: +3\r\n\r\nabc"), 400 },
    { "a length with a minus", BYTES(POST "Content-Length: -3\r\n\r\nabc"), 400 },
    { "a length in hex", BYTES(POST "Content-Length: 0x3\r\n\r\nabc"), 400 },
    { "an empty length", BYTES(POST "Content-Length: \r\n\r\nabc"), 400 },
    { "a length past any number", BYTES(POST "Content-Length: 18446744073709551619\r\n\r\nabc"),
      400 },
    { "xchunked", BYTES(POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"), 501 },
    { "gzip, chunked", BYTES(POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 501 },
    { "chunked, identity", BYTES(POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
      501 },
    { "two codings",
      BYTES(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      400 },
    { "a coding in HTTP/1.0",
      BYTES("POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400 },
    { "a blank before the first header",
      BYTES("POST / HTTP/1.1\r\n Content-Length: 3\r\nHost: h\r\n\r\nabc"), 400 },
    { "a continuation that is a length", BYTES(POST " Content-Length: 3\r\n\r\nabc"), 400 },
    { "a folded value", BYTES(GET "Host: h\r\nX: a\r\n b\r\n\r\n"), 400 },
    { "a blank before the colon", BYTES(POST "Content-Length : 3\r\n\r\nabc"), 400 },
    { "an empty header name", BYTES(GET "Host: h\r\n: x\r\n\r\n"), 400 },
    { "a header without colon", BYTES(GET "Host: h\r\nnonsense\r\n\r\n"), 400 },
    { "a NUL in a value", BYTES(GET "Host: h\r\nX: a\0b\r\n\r\n"), 400 },
    { "a control character in a value",
      BYTES(GET "Host: h\r\nX: a\x01"
                "b\r\n\r\n"),
      400 },
    { "DEL in a value",
      BYTES(GET "Host: h\r\nX: a\x7f"
                "b\r\n\r\n"),
      400 },
    { "bare LF", BYTES("GET / HTTP/1.1\nHost: h\n\n"), 400 },
    { "bare LF in the headers", BYTES(GET "Host: h\nX: y\r\n\r\n"), 400 },
    { "bare CR in a value", BYTES(GET "Host: h\r\nX: a\rb\r\n\r\n"), 400 },
    { "CR CR LF", BYTES(GET "Host: h\r\r\n\r\n"), 400 },
    { "a head that ends in CR X", BYTES(GET "Host: h\r\n\rX"), 400 },
    { "no Host", BYTES(GET "\r\n"), 400 },
    { "no Host in HTTP/1.0", BYTES("GET / HTTP/1.0\r\n\r\n"), 400 },
    { "two Hosts", BYTES(GET "Host: h\r\nHost: h\r\n\r\n"), 400 },
    { "an empty Host", BYTES(GET "Host:\r\n\r\n"), 400 },
    { "a Host with a path", BYTES(GET "Host: h/x\r\n\r\n"), 400 },
    { "a Host with a user", BYTES(GET "Host: u@h\r\n\r\n"), 400 },
    { "a list of Hosts", BYTES(GET "Host: h, i\r\n\r\n"), 400 },
    { "a chunk size 0x3", BYTES(CHUNKED "0x3\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a chunk size +3", BYTES(CHUNKED "+3\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a chunk size -1", BYTES(CHUNKED "-1\r\nabc\r\n0\r\n\r\n"), 400 },
    { "no chunk size", BYTES(CHUNKED "\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a blank before a chunk size", BYTES(CHUNKED " 3\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a blank behind a chunk size", BYTES(CHUNKED "3 \r\nabc\r\n0\r\n\r\n"), 400 },
    { "a chunk size of sixteen digits", BYTES(CHUNKED "8000000000000003\r\nabc\r\n0\r\n\r\n"),
      400 },
    { "chunk data without CR LF", BYTES(CHUNKED "3\r\nabcX"), 400 },
    { "chunk data longer than said", BYTES(CHUNKED "3\r\nabcd\r\n0\r\n\r\n"), 400 },
    { "LF behind a chunk size", BYTES(CHUNKED "3\nabc\r\n0\r\n\r\n"), 400 },
    { "LF behind chunk data", BYTES(CHUNKED "3\r\nabc\n0\r\n\r\n"), 400 },
    { "CR X behind the last chunk", BYTES(CHUNKED "0\r\n\rX"), 400 },
    { "LF in a chunk extension", BYTES(CHUNKED "3;a\nbc\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a nameless chunk extension", BYTES(CHUNKED "3;\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a NUL in a quoted extension", BYTES(CHUNKED "3;a=\"\0\"\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a backslash in an extension", BYTES(CHUNKED "3;a=\"\\\"\"\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a folded trailer", BYTES(CHUNKED "0\r\nX: y\r\n z\r\n\r\n"), 400 },
    { "a length as a trailer", BYTES(CHUNKED "0\r\nContent-length: 3\r\n\r\n"), 400 },
    { "a coding as a trailer", BYTES(CHUNKED "0\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n"),
      400 },
    { "a trailer without colon", BYTES(CHUNKED "0\r\nX\r\n\r\n"), 400 },
    { "two empty lines before it", BYTES("\r\n\r\n" GET "Host: h\r\n\r\n"), 400 },
    { "a blank before the method", BYTES(" GET / HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "two blanks in the request line", BYTES("GET  / HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a tab in the request line", BYTES("GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a blank behind the version", BYTES("GET / HTTP/1.1 \r\nHost: h\r\n\r\n"), 400 },
    { "no version", BYTES("GET /\r\nHost: h\r\n\r\n"), 400 },
    { "a small version", BYTES("GET / http/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "version 1.10", BYTES("GET / HTTP/1.10\r\nHost: h\r\n\r\n"), 400 },
    { "version 2", BYTES("PRI * HTTP/2.0\r\nHost: h\r\n\r\n"), 505 },
    { "an unknown method", BYTES("BREW / HTTP/1.1\r\nHost: h\r\n\r\n"), 501 },
    { "a small method", BYTES("get / HTTP/1.1\r\nHost: h\r\n\r\n"), 501 },
    { "CONNECT", BYTES("CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n"), 501 },
    { "a method with a colon", BYTES("GE:T / HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a target without a slash", BYTES("GET x HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "* for GET", BYTES("GET * HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a fragment", BYTES("GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a byte over 127 in the target", BYTES("GET /\xc3\xa4 HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a quote in the target", BYTES("GET /\" HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a backslash in the target", BYTES("GET /\\ HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a percent sign alone", BYTES("GET /% HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a percent sign and no digit", BYTES("GET /%g0 HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "an absolute target of another host", BYTES("GET http://i/x HTTP/1.1\r\nHost: h\r\n\r\n"),
      400 },
    { "an absolute target of another scheme", BYTES("GET ftp://h/x HTTP/1.1\r\nHost: h\r\n\r\n"),
      400 },
    { "two Authorizations", BYTES(GET "Host: h\r\nAuthorization: a\r\nAuthorization: a\r\n\r\n"),
      400 },
    { "another Expect", BYTES(POST "Expect: 200-ok\r\n\r\n"), 417 },
};

enum { FRAMINGS = sizeof framings / sizeof *framings };

#endif
