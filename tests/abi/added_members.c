/* Members that took the place of reserved words after the headers of include-0.2 were frozen. */
#include "layout.h"

AT(bough_error, hint, 280);
AT(bough_store_fsck_result, bad_pages, 56);
AT(bough_record_options, owner, 40);
AT(bough_session_create_options, key, 192);
AT(bough_session_fork_options, key, 48);
