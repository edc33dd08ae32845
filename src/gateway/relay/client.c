/* What the client gets: the head of the answer, its bytes, and errors in the form of its wire. */
#include "base/text/str.h"
#include "core/wire/fault.h"
#include "gateway/kit/record.h"
#include "gateway/relay/headers.h"
#include "gateway/relay/inside.h"

void relay_give(void *user, const char *p, size_t n)
{
    struct relay *r = user;

    http_flow_give(r->flow, p, n);
    if (n)
        r->in_line = p[n - 1] != '\n';
}

static void put_names(struct relay *r)
{
    struct http_res *res = http_flow_res(r->flow);
    const char *session = r->plan.record && r->begun ? record_session(r->plan.record) : NULL;

    http_set(res, "x-bough-request", r->plan.id);
    if (session)
        http_set(res, "x-bough-session", session);
}

/* Pass the head of the answer on. */
void relay_pass_head(struct relay *r, int status, struct bough_str lines)
{
    struct http_res *res = http_flow_res(r->flow);
    const char *type = headers_find(r->req->arena, lines, "content-type");

    http_text(res, status, type ? type : "application/octet-stream");
    put_names(r);
    headers_down(r->req, res, lines);
    if (r->events) {
        http_set(res, "Cache-Control", "no-cache");
        http_set(res, "X-Accel-Buffering", "no");
    }
    http_flow_head(r->flow);
}

bool relay_say_fault(struct relay *r, int status, const char *code, const char *why)
{
    struct wire_fault fault = { .status = status, .code = code, .message = why };
    struct bough_str text;

    if (http_flow_headed(r->flow)) {
        if (r->events) {
            if (r->in_line) /* behind half a line the event would be a part of that line */
                http_flow_give(r->flow, "\n", 1);
            text = wire_fault_event(r->req->arena, r->plan.wire, &fault);
            http_flow_give(r->flow, text.p, text.n);
        }
        return true;
    }
    text = wire_fault_body(r->req->arena, r->plan.wire, &fault);
    http_text(http_flow_res(r->flow), status, "application/json");
    put_names(r);
    http_flow_head(r->flow);
    http_flow_give(r->flow, text.p, text.n);
    return false;
}
