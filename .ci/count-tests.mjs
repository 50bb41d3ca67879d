// Prints the count of all tests in vitest's JSON reports, as the last line. Exits with 1 where a report is not there, and
// where a test was skipped that no lack of this machine explains: nobody would notice it.
import { readFileSync } from 'node:fs';

/** What no machine of CI can have. All else that a test needs is required there (PGSWEEP_TEST_REQUIRE). */
const mayLack = new Set([
  'powershell',
  'pg_stat_monitor',
  'pg_stat_monitor-programs',
  'edfi-data',
  'opensearch-3',
  'root',
  'docker-ports',
  'fish',
  'zsh',
  'shellcheck',
]);

const counts = process.argv.slice(2).map((file) => {
  try {
    return countOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    console.log(`no report of the tests: ${error.message}`);
    process.exitCode = 1;
    return { passed: 0, failed: 1, skipped: 0 };
  }
});
const sum = (which) => counts.reduce((total, count) => total + count[which], 0);
const skipped = sum('skipped');
console.log(`tests: ${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);

function countOf({ numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const wrong = tests.filter(({ status, meta }) => isSkipped(status) && !mayLack.has(meta?.lacking?.thing));
  for (const { fullName } of wrong) console.log(`skipped, and CI must cover it: ${fullName}`);
  if (wrong.length > 0) process.exitCode = 1;
  // A file that cannot be read has failed, and none of its tests has.
  const failed = Math.max(numFailedTests, Math.min(numFailedTestSuites, 1)) + wrong.length;
  return { passed: numPassedTests, failed, skipped: numPendingTests - wrong.length };
}

function isSkipped(status) {
  return status === 'skipped' || status === 'pending';
}
