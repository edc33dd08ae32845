/* bough: the session store for AI agents. This header includes all of it. */
#ifndef BOUGH_H
#define BOUGH_H

#include <bough/approval.h>
#include <bough/arena.h>
#include <bough/attachment.h>
#include <bough/backup.h>
#include <bough/budget.h>
#include <bough/chat.h>
#include <bough/context.h>
#include <bough/entry.h>
#include <bough/error.h>
#include <bough/exchange.h>
#include <bough/feed.h>
#include <bough/limits.h>
#include <bough/message.h>
#include <bough/migrate.h>
#include <bough/model.h>
#include <bough/money.h>
#include <bough/notes.h>
#include <bough/part.h>
#include <bough/price.h>
#include <bough/queue.h>
#include <bough/run.h>
#include <bough/salvage.h>
#include <bough/search.h>
#include <bough/session.h>
#include <bough/source.h>
#include <bough/spend.h>
#include <bough/store.h>
#include <bough/transfer.h>
#include <bough/tree.h>

#endif
