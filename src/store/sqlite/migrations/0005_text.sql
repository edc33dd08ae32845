-- Full text: derived from the changelog; may be dropped and rebuilt. Words are produced by
-- src/core/search_text.c and token.c, so the index only splits them at spaces.

-- A document. id is twice the entry's number, so that the newest have the highest ids. For a title
-- it is twice the number of the change that set it, plus 1. k is the entry's key (bid << 32 |
-- depth), or minus the number of the session for a title. A title stores its words, because they
-- are needed to remove it from the index after it was replaced.
CREATE TABLE text_doc (
    id    INTEGER PRIMARY KEY,
    k     INTEGER NOT NULL,
    time  INTEGER NOT NULL,
    words TEXT NOT NULL
) STRICT;
CREATE INDEX text_doc_k ON text_doc (k);

-- The rowid is 2^40 minus the document's id. So the newest document comes first in every posting
-- list, and reading a list from its start costs only what is read. (Reading from its end costs more
-- once secure-delete is on.) tag: d (every document), r<role>, k<kind>, b<branch>, t<session of the
-- title>. The table is contentless: to remove a document its words must be given again, and
-- secure-delete removes them from every segment.
CREATE VIRTUAL TABLE text_index USING fts5 (
    tag, text, reasoning, tool, input, output, file, title,
    content = '', columnsize = 0, tokenize = 'ascii'
);
INSERT INTO text_index (text_index, rank) VALUES ('secure-delete', 1);
INSERT INTO text_index (text_index, rank) VALUES ('pgsz', 4000);

INSERT INTO projection (name, no) VALUES ('text', 0);
