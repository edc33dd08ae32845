/* Requests to providers: the options of libcurl that all of them share. */
#include "gateway/client/easy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway/demo/demo.h"

/* ---- addresses ---- */

/* A range of IPv4 addresses. */
struct range {
    uint32_t from;
    int bits;
    bool never; /* else: only with allow_private */
};

static const struct range ranges[] = {
    { 0x00000000, 8, true },   /* unspecified */
    { 0xa9fe0000, 16, true },  /* link-local, and the metadata services of clouds */
    { 0xe0000000, 4, true },   /* multicast */
    { 0xf0000000, 4, true },   /* reserved, broadcast */
    { 0x7f000000, 8, false },  /* loopback */
    { 0x0a000000, 8, false },  /* private networks */
    { 0xac100000, 12, false }, /* ... */
    { 0xc0a80000, 16, false }, /* ... */
    { 0x64400000, 10, false }, /* shared by carriers */
};

static bool v4_allowed(uint32_t ip, bool allow_private)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if ((ip ^ ranges[i].from) >> (32 - ranges[i].bits) == 0)
            return !ranges[i].never && allow_private;
    return true;
}

static uint32_t v4_inside(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool v6_allowed(const struct in6_addr *a, bool allow_private)
{
    static const unsigned char nat64[12] = { 0, 0x64, 0xff, 0x9b };
    static const unsigned char metadata[16] = {
        0xfd, 0, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54
    }; /* fd00:ec2::254 */
    const unsigned char *p = a->s6_addr;

    if (IN6_IS_ADDR_LOOPBACK(a))
        return allow_private;
    if (IN6_IS_ADDR_V4MAPPED(a) || IN6_IS_ADDR_V4COMPAT(a) || memcmp(p, nat64, 12) == 0)
        return v4_allowed(v4_inside(p + 12), allow_private);
    if (p[0] == 0x20 && p[1] == 0x02) /* 6to4: an IPv4 address inside */
        return v4_allowed(v4_inside(p + 2), allow_private);
    if (IN6_IS_ADDR_UNSPECIFIED(a) || IN6_IS_ADDR_MULTICAST(a) || IN6_IS_ADDR_LINKLOCAL(a) ||
        IN6_IS_ADDR_SITELOCAL(a))
        return false;
    if (memcmp(p, metadata, 16) == 0)
        return false;
    return (p[0] & 0xfe) != 0xfc || allow_private; /* unique local */
}

bool easy_address_allowed(const struct sockaddr *addr, bool allow_private)
{
    if (addr->sa_family == AF_INET)
        return v4_allowed(ntohl(((const struct sockaddr_in *)addr)->sin_addr.s_addr),
                          allow_private);
    if (addr->sa_family == AF_INET6)
        return v6_allowed(&((const struct sockaddr_in6 *)addr)->sin6_addr, allow_private);
    return false;
}

/* The address is checked where it is used, so a name that changes its address in between gains
 * nothing. */
static curl_socket_t on_open(void *user, curlsocktype purpose, struct curl_sockaddr *to)
{
    struct easy *e = user;

    (void)purpose;
    if (e->demo) { /* the address is replaced, as libcurl allows */
        to->family = AF_UNIX;
        return demo_dial(&to->addr, sizeof(struct sockaddr), &to->addrlen);
    }
    if (!easy_address_allowed(&to->addr, e->allow_private)) {
        e->kept_out = true;
        return CURL_SOCKET_BAD;
    }
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* The demo provider is in this process; its name is not looked up. */
static bool set_demo(struct easy *e)
{
    e->demo = true;
    e->names = curl_slist_append(NULL, DEMO_HOST ":80:127.0.0.1");
    curl_easy_setopt(e->curl, CURLOPT_RESOLVE, e->names);
    return e->names != NULL;
}

/* ---- options ---- */

static bool add_headers(struct easy *e, const char *const *lines)
{
    /* curl adds these by itself; an empty value removes them. */
    static const char *const none[] = { "Expect:", NULL };
    const char *const *lists[] = { none, lines };

    for (size_t k = 0; k < 2; k++)
        for (const char *const *l = lists[k]; l && *l; l++) {
            struct curl_slist *longer = curl_slist_append(e->headers, *l);

            if (!longer)
                return false;
            e->headers = longer;
        }
    return true;
}

static void set_safety(struct easy *e)
{
    CURL *c = e->curl;

    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(c, CURLOPT_PROXY, "");
    curl_easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, e);
    /* Plain answers are asked for. One that is compressed all the same is decoded, because its
     * Content-Encoding is not passed on. */
    curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "identity");
    curl_easy_setopt(c, CURLOPT_HTTP09_ALLOWED, 0L);
}

static void set_transport(CURL *c, const struct easy_options *how)
{
    curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(c, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(c, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(c, CURLOPT_MAXAGE_CONN, 60L);
    curl_easy_setopt(c, CURLOPT_MAXLIFETIME_CONN, 300L);
    if (how->connect_ms)
        curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)how->connect_ms);
    if (how->whole_ms)
        curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)how->whole_ms);
}

static void start_library(void)
{
    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
}

void easy_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start_library);
}

bool easy_init(struct easy *e, const struct easy_options *how)
{
    *e = (struct easy){ .curl = curl_easy_init(), .allow_private = how->allow_private };
    if (!e->curl || !add_headers(e, how->headers) || (demo_is(how->url) && !set_demo(e))) {
        easy_finish(e);
        return false;
    }
    set_safety(e);
    set_transport(e->curl, how);
    curl_easy_setopt(e->curl, CURLOPT_URL, how->url);
    if (how->body.n || strcmp(how->method, "POST") == 0) {
        curl_easy_setopt(e->curl, CURLOPT_POSTFIELDS, how->body.n ? how->body.p : "");
        curl_easy_setopt(e->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)how->body.n);
    }
    if (strcmp(how->method, "HEAD") == 0)
        curl_easy_setopt(e->curl, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(e->curl, CURLOPT_CUSTOMREQUEST, how->method);
    curl_easy_setopt(e->curl, CURLOPT_HTTPHEADER, e->headers);
    return true;
}

void easy_finish(struct easy *e)
{
    curl_easy_cleanup(e->curl);
    curl_slist_free_all(e->headers);
    curl_slist_free_all(e->names);
    e->curl = NULL;
    e->headers = e->names = NULL;
}

const char *easy_why(const struct easy *e, CURLcode code)
{
    if (e->kept_out)
        return "its address is on this machine or in a private network, which the configuration "
               "does not allow (allow_private = yes)";
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return "its name is not known";
    case CURLE_COULDNT_CONNECT:
        return "the connection was refused";
    case CURLE_OPERATION_TIMEDOUT:
        return "it took too long";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return "its certificate is not valid for this name";
    case CURLE_SSL_CONNECT_ERROR:
        return "TLS could not be agreed on";
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return "the connection ended early";
    default:
        return curl_easy_strerror(code);
    }
}
