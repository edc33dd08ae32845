-- client: the lease is that of a client outside the process, so it outlives the process.
-- wanted: the process that asks the one in `process` to hand the message over.
ALTER TABLE open ADD COLUMN client INTEGER NOT NULL DEFAULT 0;
ALTER TABLE open ADD COLUMN wanted TEXT NOT NULL DEFAULT '';
