/* Members that took the place of reserved words after the headers of include-0.2 were frozen. */
#include "layout.h"

AT(bough_error, hint, 280);
AT(bough_store_fsck_result, bad_pages, 56);
