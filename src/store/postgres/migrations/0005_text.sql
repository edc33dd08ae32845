-- Full text: derived from the changelog; may be dropped and rebuilt. Words are produced by
-- src/core/search_text.c and token.c, as for every backend.

-- A document. id is as in SQLite: twice the entry's number, or for a title twice the number of the
-- change plus 1. For a title, bid is 0, depth is the session's number, and words stores its words.
-- vec holds every word once, prefixed with the letter of its field, without positions: PostgreSQL
-- stores positions only up to 16,383, so phrases are checked in the entry itself. cut: the document
-- has more words than fit.
CREATE TABLE text_doc (
    id    bigint PRIMARY KEY,
    bid   bigint NOT NULL,
    depth bigint NOT NULL,
    time  bigint NOT NULL,
    role  bigint NOT NULL,
    kind  bigint NOT NULL,
    cut   bool NOT NULL,
    words bytea NOT NULL,
    vec   tsvector NOT NULL
);
CREATE INDEX text_doc_place ON text_doc (bid, depth);
CREATE INDEX text_doc_vec ON text_doc USING gin (vec) WITH (fastupdate = off);

INSERT INTO projection (name, no) VALUES ('text', 0);
