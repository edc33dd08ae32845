/* Rescue: rows of the file as rows of a backend. The columns are those of the migrations in
 * store/sqlite/migrations. */
#include <string.h>

#include "base/limits.h"
#include "store/care/salvage/rescue.h"

static int64_t number(const struct pages_row *row, int i)
{
    return row->at[i].number;
}

static void session_row(const struct pages_row *row, struct session_row *out)
{
    *out = (struct session_row){ .sid = row->rowid,
                                 .ver = number(row, 1) > 0 ? number(row, 1) : 1,
                                 .made = number(row, 2),
                                 .chk = number(row, 3),
                                 .parent = number(row, 4),
                                 .kind = number(row, 5),
                                 .purged = number(row, 6) != 0,
                                 .body = row->at[8].bytes };
}

static void head_row(const struct pages_row *row, struct head_row *out)
{
    *out = (struct head_row){ .sid = row->rowid,
                              .ver = number(row, 1),
                              .bid = number(row, 2),
                              .depth = number(row, 3),
                              .status = number(row, 4),
                              .deleted = number(row, 5),
                              .lease_epoch = number(row, 6),
                              .lease_since = number(row, 7),
                              .lease_expires = number(row, 8) };
}

static void log_row(const struct pages_row *row, struct changelog_row *out)
{
    *out = (struct changelog_row){ .no = row->rowid,
                                   .n = number(row, 1),
                                   .sid = number(row, 2),
                                   .kind = number(row, 3),
                                   .time = number(row, 4),
                                   .depth = number(row, 6),
                                   .record = number(row, 7) };
    out->bid = number(row, 5);
    out->aux = number(row, 8);
}

static void open_row(const struct pages_row *row, struct open_row *out)
{
    *out = (struct open_row){ .bid = row->rowid >> 32,
                              .depth = row->rowid & LIMIT_DEPTH,
                              .sid = number(row, 1),
                              .ver = number(row, 2),
                              .epoch = number(row, 3),
                              .since = number(row, 4),
                              .expires = number(row, 5),
                              .lease_ms = number(row, 6),
                              .client = row->n > 9 ? number(row, 9) : 0,
                              .wanted = "" };
}

static void blob_row(const struct pages_row *row, struct blob_row *out)
{
    *out = (struct blob_row){
        .bno = row->rowid, .state = number(row, 1), .size = number(row, 2), .since = number(row, 3)
    };
    if (row->at[4].bytes.n == sizeof out->hash)
        memcpy(out->hash, row->at[4].bytes.p, sizeof out->hash);
}

static void key_row(const struct pages_row *row, struct key_row *out)
{
    *out = (struct key_row){ .no = number(row, 3),
                             .expires = number(row, 4),
                             .bid = number(row, 5),
                             .depth = number(row, 6) };
    memcpy(out->hash, row->at[2].bytes.p, sizeof out->hash);
}

void rescue_row(enum salvage_table table, const struct pages_row *row, struct raw_row *out)
{
    int64_t k = row->rowid;

    switch (table) {
    case SALVAGE_SESSION:
        out->table = RAW_SESSION;
        session_row(row, &out->u.session);
        break;
    case SALVAGE_BRANCH:
        out->table = RAW_BRANCH;
        out->u.branch = (struct branch_row){ k, number(row, 1), number(row, 2), number(row, 3),
                                             number(row, 4) };
        break;
    case SALVAGE_ENTRY:
        out->table = RAW_ENTRY;
        out->u.entry = (struct entry_row){ k >> 32,        k & LIMIT_DEPTH, number(row, 1),
                                           number(row, 2), number(row, 3),  row->at[4].bytes };
        break;
    case SALVAGE_RECORD:
        out->table = RAW_RECORD;
        out->u.record = (struct record_row){ k >> 32,        k >> 28 & 15,   k & LIMIT_RECORD,
                                             number(row, 1), number(row, 2), row->at[3].bytes };
        break;
    case SALVAGE_BLOB:
        out->table = RAW_BLOB;
        blob_row(row, &out->u.blob);
        break;
    case SALVAGE_CHUNK:
        out->table = RAW_CHUNK;
        out->u.chunk =
            (struct chunk_row){ k >> 24, k & 0xffffff, number(row, 1), row->at[2].bytes };
        break;
    case SALVAGE_HEAD:
        out->table = RAW_HEAD;
        head_row(row, &out->u.head);
        break;
    case SALVAGE_OPEN:
        out->table = RAW_OPEN;
        open_row(row, &out->u.open);
        break;
    case SALVAGE_LOG:
        out->table = RAW_CHANGELOG;
        log_row(row, &out->u.log);
        break;
    case SALVAGE_ALIAS:
        out->table = RAW_ALIAS;
        out->u.alias = (struct alias_row){ .scope = number(row, 1),
                                           .what = number(row, 2),
                                           .a = number(row, 3),
                                           .b = number(row, 4) };
        break;
    case SALVAGE_KEY:
        out->table = RAW_KEY;
        key_row(row, &out->u.key);
        break;
    case SALVAGE_DRAFT:
        out->table = RAW_DRAFT;
        out->u.draft = (struct draft_row){ number(row, 0) >> 32, number(row, 0) & LIMIT_DEPTH,
                                           number(row, 1), number(row, 2), row->at[3].bytes };
        break;
    case SALVAGE_NONE:
    case SALVAGE_META:
    case SALVAGE_COUNTER:
        break;
    }
}
