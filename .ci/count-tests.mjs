// Prints how many tests were skipped and why, then the count, from vitest's JSON report.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, testResults } = report;
const reasons = new Map();
for (const { assertionResults } of testResults) {
  for (const { status, fullName } of assertionResults) {
    if (status !== 'skipped' && status !== 'pending') continue;
    const reason = /\(skipped: ([^)]+)/.exec(fullName)?.[1] ?? 'not for this machine';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
}
for (const [reason, count] of reasons) console.log(`skipped: ${count} tests: ${reason}`);
const failed = Math.max(numFailedTests, Math.min(numFailedTestSuites, 1));
const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
console.log(`tests: ${numPassedTests} passed, ${failed} failed${skipped}`);
