-- Changes of model (1) and of thinking level (2) are found like compactions (3): a context that
-- begins at a marker needs the settings before it, without reading the whole path.
DROP INDEX entry_mark;
CREATE INDEX entry_mark ON entry (kind) WHERE kind IN (1, 2, 3) AND over = 0;
