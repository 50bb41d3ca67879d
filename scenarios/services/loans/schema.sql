CREATE TABLE policies (id int PRIMARY KEY, name text NOT NULL, days int NOT NULL);
CREATE TABLE items (id int PRIMARY KEY, barcode text NOT NULL UNIQUE, title text NOT NULL);
CREATE TABLE loans (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id int NOT NULL,
  item_id int NOT NULL REFERENCES items,
  policy_id int NOT NULL REFERENCES policies,
  due date NOT NULL
);
CREATE INDEX ON loans (user_id);
CREATE TABLE history (loan_id bigint NOT NULL, returned timestamptz NOT NULL DEFAULT now());

INSERT INTO policies VALUES (1, 'short', 1), (2, 'month', 28), (3, 'term', 120);
INSERT INTO items SELECT id, 'B' || id, 'Volume ' || id FROM generate_series(1, 5000) AS id;
