CREATE TABLE hash (field int PRIMARY KEY, value text NOT NULL);
INSERT INTO hash SELECT field, repeat(md5(field::text), 4) FROM generate_series(0, 9999) AS field;
