-- Custom messages (kind 6) are searched by their content from now on. Words are removed from the
-- index by giving them again, so a store that has such entries is indexed anew.
INSERT INTO text_index (text_index)
    SELECT 'delete-all' WHERE EXISTS (SELECT 1 FROM entry WHERE kind = 6);
DELETE FROM text_doc WHERE EXISTS (SELECT 1 FROM entry WHERE kind = 6);
UPDATE projection SET no = 0 WHERE name = 'text' AND EXISTS (SELECT 1 FROM entry WHERE kind = 6);
