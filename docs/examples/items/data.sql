INSERT INTO items SELECT n, 'item ' || n FROM generate_series(1, 10000) AS n;
