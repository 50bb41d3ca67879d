// The tables of the service, and those that both queues make for themselves.
import { makeWorkerUtils } from 'graphile-worker';
import pg from 'pg';
import PgBoss from 'pg-boss';

const connectionString = process.env.DATABASE_URL;
const client = new pg.Client({ connectionString });
await client.connect();
await client.query(`
  CREATE TABLE orders (id bigint PRIMARY KEY, customer integer NOT NULL, placed_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE mails (order_id bigint PRIMARY KEY, sent_at timestamptz NOT NULL DEFAULT now());
`);
await client.end();
const utils = await makeWorkerUtils({ connectionString });
await utils.migrate();
await utils.release();
const boss = new PgBoss({ connectionString });
await boss.start();
await boss.createQueue('mail');
await boss.stop({ graceful: false });
