/* Audit records, written in the txn of the operation they are about. */
#ifndef STORE_WRITE_AUDIT_H
#define STORE_WRITE_AUDIT_H

#include "store/engine/engine.h"

/* In prepare(): add an audit record to the txn. */
void audit_put(struct prep *p, const char *principal, const char *action, const char *target,
               const char *detail);

#endif
