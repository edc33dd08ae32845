-- Records of kind 15 hold what the store remembers of itself: when it was last backed up and checked.
-- An older bough does not know them.
--
-- Words behind an escape sequence of a terminal are found from now on. Words are removed from the
-- index by giving them again, so everything is indexed anew.
INSERT INTO text_index (text_index) VALUES ('delete-all');
DELETE FROM text_doc;
UPDATE projection SET no = 0 WHERE name = 'text';
