import { start } from 'unleash-server';

const url = new URL(process.env.DATABASE_URL);
// It ends by itself on SIGTERM.
await start({
  db: {
    host: url.hostname,
    port: Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
    ssl: false,
    pool: { min: 0, max: Number(process.env.POOL_MAX ?? 10) },
  },
  server: { port: Number(process.env.PORT), host: '127.0.0.1', keepAliveTimeout: 72_000 },
  authentication: {
    type: 'open-source',
    initApiTokens: [
      {
        tokenName: 'admin',
        secret: '*:*.gallery-admin',
        type: 'admin',
        environment: '*',
        project: '*',
        projects: ['*'],
      },
      {
        tokenName: 'client',
        secret: 'default:development.gallery-client',
        type: 'client',
        environment: 'development',
        project: 'default',
        projects: ['default'],
      },
    ],
  },
  logLevel: 'error',
  versionCheck: { enable: false },
  telemetry: false,
  disableScheduler: false,
});
