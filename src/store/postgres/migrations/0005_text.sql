-- Full text: derived from the log, may be dropped and built again. Words are made by src/core/search_text.c and
-- token.c before they come here: the same words as on every backend.

-- A document; id is as in SQLite (twice the entry's number, and 1 for a title). Of a title bid is 0 and depth the
-- session's number; it keeps its words. vec holds every word once, with the letter of its field in front, and no
-- positions: PostgreSQL keeps those of the first 16,383 words only, so phrases are looked at in the entry itself.
-- cut: it has more words than fit.
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
