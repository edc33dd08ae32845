/* Names of model.h's enums: parsing them (the opposite direction is in model.h). */
#ifndef CORE_MODEL_NAMES_H
#define CORE_MODEL_NAMES_H

#include <bough/model.h>

/* The kind of that name; BOUGH_ENTRY_OTHER for unknown names and NULL. Case matters. */
enum bough_entry_kind entry_kind_parse(const char *name);

#endif
