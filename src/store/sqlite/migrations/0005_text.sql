-- Full text: derived from the log, may be dropped and built again. Words are made by src/core/search_text.c and
-- token.c before they come here, so the index only splits them at spaces.

-- A document. id is twice the entry's number, so that the newest are the highest, or twice the number of the
-- change that set a title, and 1. k is the entry's (bid << 32 | depth), or minus the number of the session whose
-- title it is. A title keeps its words: when it is replaced, nothing else knows them any more.
CREATE TABLE text_doc (
    id    INTEGER PRIMARY KEY,
    k     INTEGER NOT NULL,
    time  INTEGER NOT NULL,
    words TEXT NOT NULL
) STRICT;
CREATE INDEX text_doc_k ON text_doc (k);

-- The rowid is 2^40 minus the document's id: the newest comes first in every list of the index, and reading a list
-- from its front costs what is read. (From its end it does not, once secure-delete is on.)
-- tag: d (every document), r<role>, k<kind>, b<branch>, t<session whose title it is>. Nothing is kept but the
-- index; to remove a document its words are given again, and secure-delete takes them out of every segment.
CREATE VIRTUAL TABLE text_index USING fts5 (
    tag, text, reasoning, tool, input, output, file, title,
    content = '', columnsize = 0, tokenize = 'ascii'
);
INSERT INTO text_index (text_index, rank) VALUES ('secure-delete', 1);
INSERT INTO text_index (text_index, rank) VALUES ('pgsz', 4000);

INSERT INTO projection (name, no) VALUES ('text', 0);
