/* Who may make a grant over HTTP, and take it back. */
#ifndef RUN_KIT_GRANT_H
#define RUN_KIT_GRANT_H

#include <bough/approval.h>

struct http_req;

/* May the caller approve with this scope? A token of a project may let a tool be used in its own
 * sessions: a grant for a workspace, or for all, would count in other projects too. BOUGH_DENIED:
 * it may not. */
BOUGH_MUST_CHECK enum bough_rc
grant_check(const struct http_req *req, enum bough_approval_scope scope, struct bough_error *err);

/* The grant with this id. BOUGH_NOT_FOUND also when the caller cannot see its session, or is bound
 * to a project and the grant counts in all of them. */
BOUGH_MUST_CHECK enum bough_rc grant_find(struct http_req *req, const char *id,
                                          struct bough_grant **out, struct bough_error *err);

#endif
