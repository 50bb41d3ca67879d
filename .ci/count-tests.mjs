// Prints the count of tests from vitest's JSON report, as the last line. Exits with 1 where there is no report, and where
// a test was skipped that no lack of this machine explains: nobody would notice it.
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
]);

try {
  count(JSON.parse(readFileSync(process.argv[2], 'utf8')));
} catch (error) {
  console.log(`no report of the tests: ${error.message}`);
  console.log('tests: 0 passed, 1 failed');
  process.exitCode = 1;
}

function count({ numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const wrong = tests.filter(({ status, meta }) => isSkipped(status) && !mayLack.has(meta?.lacking?.thing));
  for (const { fullName } of wrong) console.log(`skipped, and CI must cover it: ${fullName}`);
  if (wrong.length > 0) process.exitCode = 1;
  // A file that cannot be read has failed, and none of its tests has.
  const failed = Math.max(numFailedTests, Math.min(numFailedTestSuites, 1)) + wrong.length;
  const skipped = numPendingTests - wrong.length;
  console.log(`tests: ${numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}

function isSkipped(status) {
  return status === 'skipped' || status === 'pending';
}
