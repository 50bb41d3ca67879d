CREATE TABLE items (id bigint PRIMARY KEY, name text NOT NULL);
CREATE INDEX ix_items_name ON items (name);
