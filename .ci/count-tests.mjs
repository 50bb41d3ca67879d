// Prints what failed and, as the last line, the count of all tests in vitest's JSON reports: of a long output often only
// the end is kept. Exits with 1 where a report is not there, and where a test was skipped that no lack of this machine
// explains: nobody would notice it.
import { existsSync, readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';

/** What no machine of CI can have. All else that a test needs is required there (PGSWEEP_TEST_REQUIRE). */
const mayLack = new Set([
  'powershell',
  'pg_stat_monitor',
  'pg_stat_monitor-programs',
  'edfi-data',
  'gallery',
  'opensearch-3',
  'root',
  'docker-ports',
  'fish',
  'zsh',
  'shellcheck',
  // .ci/run builds it where it has a reason to.
  ...(process.env.PGSWEEP_TEST_K6 === 'kept' ? ['k6'] : []),
]);

const MOST_LINES = 30;

const counts = process.argv.slice(2).map((file) => {
  try {
    const counted = countOf(JSON.parse(readFileSync(file, 'utf8')));
    if (!existsSync(`${file}.errors`)) return counted;
    // A promise that nobody waited for, or a worker that ended: vitest ends with 1, and no test has failed.
    tell(`${basename(file)}: an error of no test`, readFileSync(`${file}.errors`, 'utf8'));
    return { ...counted, failed: counted.failed + 1 };
  } catch (error) {
    console.log(`no report of the tests: ${error.message}`);
    process.exitCode = 1;
    return { passed: 0, failed: 1, skipped: 0 };
  }
});
const sum = (which) => counts.reduce((total, count) => total + count[which], 0);
const skipped = sum('skipped');
console.log(`tests: ${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);

function tellFailed({ name: path, message, assertionResults }) {
  const name = relative('', path);
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  for (const { fullName, failureMessages } of failed) tell(`${name}: ${fullName}`, failureMessages.join('\n'));
  if (failed.length === 0) tell(name, message);
}

/** A failure in at most so many lines. */
function tell(title, text) {
  console.log(`\nFAILED ${title}`);
  console.log(text.split('\n').slice(0, MOST_LINES).join('\n'));
}

function countOf({ numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const wrong = tests.filter(({ status, meta }) => isSkipped(status) && !mayLack.has(meta?.lacking?.thing));
  for (const { fullName } of wrong) console.log(`skipped, and CI must cover it: ${fullName}`);
  if (wrong.length > 0) process.exitCode = 1;
  for (const file of testResults) if (file.status === 'failed') tellFailed(file);
  // A file that cannot be read has failed, and none of its tests has.
  const failed = Math.max(numFailedTests, Math.min(numFailedTestSuites, 1)) + wrong.length;
  return { passed: numPassedTests, failed, skipped: numPendingTests - wrong.length };
}

function isSkipped(status) {
  return status === 'skipped' || status === 'pending';
}
