// Run by the reaper of a bench that was killed, or by `pgsweep clean`: drops the databases that it has left on somebody
// else's server, which are those whose names begin as the bench has said. Plain JavaScript, since it runs without tsx.
import pg from 'pg';

const { PGSWEEP_LEFT_URL: left, PGSWEEP_LEFT_LOGIN: login, PGSWEEP_LEFT_PREFIX: prefix = '' } = process.env;

/** True if two URLs name the same server. */
function isSameServer(one, other) {
  const [a, b] = [new URL(one), new URL(other)];
  return a.hostname === b.hostname && (a.port || '5432') === (b.port || '5432');
}

async function dropLeft(client) {
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
}

// Anything shorter could be somebody else's.
if (left !== undefined && /^pgsweep_[0-9a-f]{8,}_$/.test(prefix)) {
  // What is written down of the URL has no password.
  const url = login !== undefined && URL.canParse(login) && isSameServer(left, login) ? login : left;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'pgsweep' });
  client.on('error', () => {});
  try {
    await dropLeft(client);
  } catch (error) {
    const { host, username } = new URL(url);
    const who = `${host} as ${decodeURIComponent(username) || 'the user of this machine'}`;
    const reason = error.message || error.code;
    process.stderr.write(
      `${who}: ${reason}. With its password: pgsweep clean --postgres URL; or by DATABASE_URL, PGPASSWORD or ~/.pgpass\n`,
    );
    process.exitCode = 1;
  }
  await client.end().catch(() => {});
}
