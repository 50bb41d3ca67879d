import mysql from 'mysql2/promise';
import pg from 'pg';

/** Either database, by the same two functions; placeholders are question marks. */
export function openStore({ STORE, DATABASE_URL, MARIADB_URL, PGSWEEP_ARM, POOL_MAX = '10' }) {
  if (STORE === 'mariadb') return mariadb(databaseUrl(MARIADB_URL, PGSWEEP_ARM), Number(POOL_MAX));
  return postgres(DATABASE_URL, Number(POOL_MAX));
}

/** The URL of a database on a server that several share. */
export function databaseUrl(serverUrl, name = 'pgsweep_a0') {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

function postgres(connectionString, max) {
  const pool = new pg.Pool({ connectionString, max });
  return {
    async query(sql, values) {
      let place = 0;
      return (
        await pool.query(
          sql.replaceAll('?', () => `$${++place}`),
          values,
        )
      ).rows;
    },
    end: () => pool.end(),
  };
}

function mariadb(uri, connectionLimit) {
  const pool = mysql.createPool({ uri, connectionLimit });
  return {
    async query(sql, values) {
      return (await pool.query(sql, values))[0];
    },
    end: () => pool.end(),
  };
}
