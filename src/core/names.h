/* Names: the words of model.h's enums, and back. */
#ifndef CORE_NAMES_H
#define CORE_NAMES_H

#include <bough/model.h>

/* A kind we do not know, NULL included, is BOUGH_ENTRY_OTHER. */
enum bough_entry_kind entry_kind_parse(const char *name);

#endif
