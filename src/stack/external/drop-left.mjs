// Run by the reaper of a bench that was killed: drops the databases that it has left on somebody else's server, which are
// those whose names begin as the bench has said. Plain JavaScript, since it runs without tsx.
import pg from 'pg';

const { PGSWEEP_LEFT_URL: url, PGSWEEP_LEFT_PREFIX: prefix = '' } = process.env;

// Anything shorter could be somebody else's.
if (url !== undefined && /^pgsweep_[0-9a-f]{8,}_$/.test(prefix)) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'pgsweep' });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query('SELECT datname, datistemplate FROM pg_database WHERE starts_with(datname, $1)', [
    prefix,
  ]);
  for (const { datname, datistemplate } of rows) {
    const name = client.escapeIdentifier(datname);
    if (datistemplate) await client.query(`ALTER DATABASE ${name} WITH IS_TEMPLATE false`);
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = current_user',
      [datname],
    );
    await client.query(`DROP DATABASE IF EXISTS ${name}`);
  }
  await client.end();
}
