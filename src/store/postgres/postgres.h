/* The PostgreSQL backend: one schema of a database, written by one or several processes. */
#ifndef STORE_POSTGRES_POSTGRES_H
#define STORE_POSTGRES_POSTGRES_H

#include "store/backend.h"

extern const struct backend_ops postgres_backend;

#endif
