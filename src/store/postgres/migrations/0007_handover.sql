-- Open messages that change servers; see SQLite's migration of the same number.
ALTER TABLE open ADD COLUMN client bigint NOT NULL DEFAULT 0;
ALTER TABLE open ADD COLUMN wanted text NOT NULL DEFAULT '';
