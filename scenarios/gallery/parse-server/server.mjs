import express from 'express';
import { ParseServer } from 'parse-server';

const port = Number(process.env.PORT);
const parse = new ParseServer({
  databaseURI: `${process.env.DATABASE_URL}?max=${process.env.POOL_MAX ?? 10}`,
  appId: 'gallery',
  masterKey: 'gallery-master',
  serverURL: `http://127.0.0.1:${port}/parse`,
  allowClientClassCreation: true,
  silent: true,
  logsFolder: null,
  verbose: false,
});
await parse.start();
const app = express();
app.get('/health', (_request, response) => response.end('ok'));
app.use('/parse', parse.app);
const server = app.listen(port, '127.0.0.1');
server.keepAliveTimeout = 72_000;
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
