-- Records of kind 15 hold what the store remembers of itself; see SQLite's migration of the same
-- number. Words behind an escape sequence of a terminal are found from now on: all is indexed anew.
DELETE FROM text_doc;
UPDATE projection SET no = 0 WHERE name = 'text';
