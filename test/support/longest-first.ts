import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where tests take longest, in that order: they start programs, servers and whole sweeps. */
const slow = [
  'diagnosis',
  'cli',
  'extending',
  'validity',
  'run',
  'treatment',
  'stack',
  'probe',
  'load',
  'sample',
  'dataset',
];

/**
 * What takes long begins first, or a single file of it is what all wait for in the end. A first run knows no times. Files
 * that share processes come last, one behind the other.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const at = slow.findIndex((name) => new RegExp(`/test/${name}[/.]`).test(moduleId));
      return (at < 0 ? slow.length : at) + (project.config.isolate ? 0 : slow.length + 1);
    };
    return [...(await super.sort(files))].sort((a, b) => rank(a) - rank(b));
  }
}
