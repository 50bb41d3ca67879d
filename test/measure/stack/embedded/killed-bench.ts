// A bench that the test kills while its Postgres works.
import { startReaper } from '../../../../src/base/process/reaper.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { startEmbeddedPostgres } from '../../../support/started-postgres.ts';

const reaper = startReaper();
const postgres = await startEmbeddedPostgres({ reaper });
query(postgres.adminUrl(), 'SELECT count(*) FROM generate_series(1, 1e12)').catch(() => {});
const deadline = Date.now() + 60_000;
for (;;) {
  const rows = await query(
    postgres.adminUrl(),
    `SELECT pid FROM pg_stat_activity WHERE query LIKE '%1e12%' AND state = 'active'
    AND pid <> pg_backend_pid()`,
  );
  const backend = rows[0]?.pid;
  if (backend) {
    console.log(JSON.stringify({ pids: [postgres.pid, backend, reaper.pid], logFile: postgres.logFile }));
    break;
  }
  if (Date.now() > deadline) throw new Error('the query did not start');
}
