// Run by the reaper of a bench that was killed, or by `pgsweep clean`: deletes the indices that it has left on an OpenSearch of the
// user's, which are those whose names begin as the bench has said. Plain JavaScript, since it runs without tsx.
const { PGSWEEP_LEFT_URL: url, PGSWEEP_LEFT_PREFIX: prefix = '' } = process.env;

// Anything shorter could be somebody else's.
if (url !== undefined && /^pgsweep_[0-9a-f]{8,}_$/.test(prefix)) {
  try {
    const signal = AbortSignal.timeout(30_000);
    const answer = await fetch(`${url}/${prefix}*`, { method: 'DELETE', signal });
    if (!answer.ok) throw new Error(`status ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  } catch (error) {
    process.stderr.write(`${url}: ${error.cause?.message || error.message}\n`);
    process.exitCode = 1;
  }
}
