import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import type {} from './lacking.ts';

/** Something that did not run: a test, or a suite with none that did. */
export interface Skipped {
  readonly name: string;
  readonly tests: number;
  readonly why: string;
}

/**
 * Vitest's reporter whose lines come last: every test that was skipped, with the reason. Errors that are no test's, for which
 * vitest ends with 1, are not in its JSON report: they are left beside it, as REPORT.errors, for .ci/count-tests.
 */
export default class SkipReport implements Reporter {
  private filtered = false;
  private report: string | undefined;

  onInit({ config }: Vitest): void {
    this.filtered = config.testNamePattern !== undefined;
    this.report = typeof config.outputFile === 'string' ? config.outputFile : config.outputFile?.json;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    if (errors.length > 0 && this.report !== undefined) {
      writeFileSync(`${this.report}.errors`, errors.map(({ message, stack }) => stack ?? message).join('\n\n'));
    }
    // With -t nearly all tests are skipped, because somebody asked for it.
    if (this.filtered) return;
    for (const line of skipLines(modules.flatMap((module) => skippedIn(module, module.relativeModuleId)))) {
      console.log(line);
    }
  }
}

/** By reason, in the order of the files. */
export function skipLines(skipped: readonly Skipped[]): string[] {
  const byReason = new Map<string, Skipped[]>();
  for (const one of skipped) byReason.set(one.why, [...(byReason.get(one.why) ?? []), one]);
  return [...byReason].flatMap(([why, ones]) => [
    `skipped: ${count(ones.reduce((sum, { tests }) => sum + tests, 0))}: ${why}`,
    ...ones.map(({ name, tests }) => `  ${name}${tests === 1 ? '' : ` (${count(tests)})`}`),
  ]);
}

const count = (tests: number): string => `${tests} test${tests === 1 ? '' : 's'}`;

/** A suite that was skipped whole, for one reason, is named once. */
function skippedIn(parent: TestModule | TestSuite, name: string): Skipped[] {
  const children = [...parent.children];
  const inside = children.flatMap((child) => {
    const its = `${name} > ${child.name}`;
    return child.type === 'suite' ? skippedIn(child, its) : skippedTest(child, its);
  });
  const [first] = inside;
  const all = [...parent.children.allTests()].length;
  const isWhole = first !== undefined && inside.reduce((sum, { tests }) => sum + tests, 0) === all;
  if (parent.type === 'module' || !isWhole || inside.some(({ why }) => why !== first.why)) return inside;
  return [{ name, tests: all, why: first.why }];
}

function skippedTest(test: TestCase, name: string): Skipped[] {
  const result = test.result();
  if (result.state !== 'skipped') return [];
  const why = test.meta().lacking?.why ?? result.note ?? 'no reason is given';
  return [{ name, tests: 1, why }];
}
