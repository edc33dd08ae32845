/* fsck, full text: every entry and title with words has its document, and a sample is
 * searched for. */
#include <inttypes.h>

#include "base/text/str.h"
#include "core/search/search.h"
#include "store/care/fsck/fsck.h"

enum { LOOKED_FOR = 256 }; /* documents searched for, spread evenly */

/* ---- expected documents ---- */

uint64_t fsck_title_words(struct fsck *f, const char *title)
{
    struct search_piece piece = { SEARCH_TITLE, -1, str_of(title) };
    struct search_words words;

    if (!search_words(f->tmp, &piece, 1, &words))
        return 0;
    return hash_bytes(words.field[SEARCH_TITLE].p, words.field[SEARCH_TITLE].n) | 1;
}

static uint64_t mixed(int64_t depth, int64_t no, int64_t time)
{
    return fsck_mix(fsck_mix((uint64_t)depth, (uint64_t)no), (uint64_t)time);
}

void fsck_words(struct fsck *f, struct fsck_branch *b, const struct entry_row *row,
                const struct bough_entry *e)
{
    struct search_pieces pieces;
    struct search_words words;

    if (e->no > f->fulltext_mark || row->mask & MASK_OPEN)
        return;
    search_pieces(f->tmp, e, &pieces);
    if (search_words(f->tmp, pieces.at, pieces.n, &words))
        b->words_sum += mixed(row->depth, e->no, e->time);
}

/* ---- sample searches ---- */

static bool note_no(void *user, const struct fulltext_row *row)
{
    *(int64_t *)user = fulltext_order(row);
    return false;
}

/* Search for a document by its first words. */
static enum bough_rc look_for(struct fsck *f, const struct fulltext_row *row,
                              const struct search_words *words)
{
    struct search_query *q = arena_zalloc(f->tmp, sizeof *q);
    struct fulltext_query tq = { .q = q, .before = fulltext_order(row) + 1 };
    int64_t found = 0;
    enum bough_rc rc;

    q->session = q->project = "";
    for (int i = 0; i < SEARCH_FIELDS && !q->n; i++) {
        struct bough_str s = words->field[i];

        s.n = s.n < 100 ? s.n : 100;
        while (s.n && s.n < words->field[i].n && s.p[s.n] != ' ')
            s.n--;
        if (s.n)
            q->terms[q->n++] = (struct search_term){ .fields = 1u << i, .words = s };
    }
    rc = q->n ? f->ops->fulltext_find(f->v, &tq, note_no, &found, f->err) : BOUGH_OK;
    if (!rc && q->n && found != fulltext_order(row))
        fsck_report(f, RULE_TEXT, at_number("document ", row->no), "its own words do not find it");
    return rc;
}

static enum bough_rc look_for_entry(struct fsck *f, const struct fulltext_row *row)
{
    struct search_pieces pieces;
    struct search_words words;
    struct entry_row entry;
    struct pack_extra x;
    struct bough_entry e;

    if (f->ops->entry_get(f->v, f->tmp, row->bid, row->depth, &entry, NULL) != BOUGH_OK ||
        pack_entry_read(f->tmp, entry.body, &e, &x, NULL) != BOUGH_OK || e.no != row->no)
        return BOUGH_OK; /* already reported elsewhere */
    search_pieces(f->tmp, &e, &pieces);
    search_words(f->tmp, pieces.at, pieces.n, &words);
    return look_for(f, row, &words);
}

/* ---- stored documents ---- */

struct walk {
    struct fsck *f;
    int64_t stride, next;
    enum bough_rc rc;
};

static void check_entry(struct walk *w, const struct fulltext_row *row)
{
    struct fsck *f = w->f;
    struct fsck_branch *b = fsck_branch_of(f, row->bid);
    const struct fsck_session *s = b ? fsck_session_of(f, b->row.sid) : NULL;

    if (!b || row->depth <= b->row.base ||
        (row->depth > b->tip && !b->damaged && !(s && s->leftover))) {
        fsck_report(f, RULE_TEXT, at_number("document ", row->no),
                    "it is of #%" PRId64 ".%" PRId64 ", which does not exist", row->bid,
                    row->depth);
        return;
    }
    if (row->depth <= b->tip)
        b->text_sum += mixed(row->depth, row->no, row->time);
}

static uint64_t words_hash(const struct fulltext_row *row)
{
    struct bough_str s = row->words ? row->words->field[SEARCH_TITLE] : str_make(NULL, 0);

    return s.n ? hash_bytes(s.p, s.n) | 1 : 0;
}

static void check_title(struct walk *w, const struct fulltext_row *row)
{
    struct fsck_session *s = fsck_session_of(w->f, row->depth);

    if (!s || (s->purged && !s->leftover && s->purge_logged)) {
        fsck_report(w->f, RULE_TEXT, at_number("document ", row->no),
                    "it is the title of #%" PRId64 ", which is not there", row->depth);
        return;
    }
    if (s->damaged || s->purged || s->rev > w->f->fulltext_mark)
        return;
    if (s->title_found || words_hash(row) != s->title_words)
        fsck_report(w->f, RULE_TEXT, at_session(s->sid), "a search finds a title that it has not");
    s->title_found = true;
}

static bool each_text(void *user, const struct raw_row *raw)
{
    const struct fulltext_row *row = &raw->u.text;
    struct walk *w = user;
    struct fsck *f = w->f;

    bough_arena_reset(f->tmp);
    if (row->no < 1 || row->no > f->fulltext_mark) {
        fsck_report(f, RULE_TEXT, at_number("document ", row->no),
                    "the full text is applied up to %" PRId64 " only", f->fulltext_mark);
        return true;
    }
    if (row->bid)
        check_entry(w, row);
    else
        check_title(w, row);
    if (row->no >= w->next && !f->report->errors) {
        w->next = row->no + w->stride;
        w->rc = row->bid     ? look_for_entry(f, row)
                : row->words ? look_for(f, row, row->words)
                             : BOUGH_OK;
    }
    return !w->rc;
}

/* Compare only where nothing else is wrong: other damage is already reported. */
static void compare(struct fsck *f)
{
    for (size_t i = 0; i < f->nbranches; i++) {
        const struct fsck_branch *b = &f->branches[i];

        if (b->words_sum != b->text_sum && !b->damaged && !b->text_damaged && !b->log_damaged &&
            b->entry_sum == b->log_sum)
            fsck_report(f, RULE_TEXT, at_branch(b->row.bid),
                        "its documents are not those of its entries");
    }
    for (size_t i = 0; i < f->nsessions; i++) {
        const struct fsck_session *s = &f->sessions[i];

        if (s->title_words && !s->title_found && !s->purged && !s->damaged &&
            s->rev <= f->fulltext_mark)
            fsck_report(f, RULE_TEXT, at_session(s->sid), "a search does not find its title");
    }
}

enum bough_rc fsck_documents(struct fsck *f)
{
    struct walk w = { .f = f, .stride = f->fulltext_mark / LOOKED_FOR + 1 };
    enum bough_rc rc;

    if (f->log_damaged)
        return BOUGH_OK;
    if (f->fulltext_mark < 0 || f->fulltext_mark > f->last_no) {
        fsck_report(f, RULE_TEXT, at_log(f->fulltext_mark),
                    "the full text is applied up to here, but the log ends at %" PRId64,
                    f->last_no);
        return BOUGH_OK;
    }
    rc = f->ops->raw_scan(f->v, RAW_FULLTEXT, each_text, &w, f->err);
    if (!rc && !w.rc)
        compare(f);
    return rc ? rc : w.rc;
}
