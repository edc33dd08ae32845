-- Custom messages are searched by their content; see SQLite's migration of the same number.
DELETE FROM text_doc WHERE EXISTS (SELECT 1 FROM entry WHERE kind = 6);
UPDATE projection SET no = 0 WHERE name = 'text' AND EXISTS (SELECT 1 FROM entry WHERE kind = 6);
