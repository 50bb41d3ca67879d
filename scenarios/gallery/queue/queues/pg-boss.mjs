import PgBoss from 'pg-boss';

export async function open({ connectionString, send }) {
  const boss = new PgBoss({ connectionString, max: 10 });
  boss.on('error', console.error);
  await boss.start();
  await boss.work('mail', { batchSize: 50, pollingIntervalSeconds: 0.5 }, (jobs) =>
    Promise.all(jobs.map(({ data }) => send(data))),
  );
  return { add: (job) => boss.send('mail', job), close: () => boss.stop({ graceful: false }) };
}
