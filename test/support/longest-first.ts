import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where tests take longest, in that order: they start programs, servers and whole sweeps. */
const slow = ['cli', 'diagnosis', 'validity', 'run', 'stack', 'sample', 'probe', 'load', 'dataset'];

/** What takes long begins first, or a single file of it is what all wait for in the end. A first run knows no times. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = slow.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      return at < 0 ? slow.length : at;
    };
    return [...(await super.sort(files))].sort((a, b) => rank(a) - rank(b));
  }
}
