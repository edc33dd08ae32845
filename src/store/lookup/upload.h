/* Who uploaded an attachment that no message shows yet. Kept in memory only: after a restart, or at
 * another server, it must be uploaded again. */
#ifndef STORE_LOOKUP_UPLOAD_H
#define STORE_LOOKUP_UPLOAD_H

#include "store/engine/engine.h"

/* From now on this handle may link, of the attachments that its session does not show, only those
 * that were uploaded through a handle with the same name: a hash alone is no right to the bytes.
 * For callers that see one project. */
void upload_only_of(struct bough_store *s, const char *name);

void upload_note(struct bough_store *s, const unsigned char hash[32]); /* it was uploaded here */
/* May this handle link the attachment because it was uploaded? */
bool upload_is_ours(struct bough_store *s, const unsigned char hash[32]);

#endif
