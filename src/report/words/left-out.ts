import { groupBy } from '../../base/group-by.ts';
import type { LeftOut } from '../../journal/run/provenance-record.ts';

/** A sentence for each file of the data set that asks for something this Postgres lacks. */
export function leftOutWords(all: readonly LeftOut[]): string[] {
  return groupBy(all, ({ file }) => file).map((some) => {
    const named = (kind: LeftOut['kind']): string[] => some.filter((one) => one.kind === kind).map(({ name }) => name);
    const [settings, roles] = [named('setting'), named('role')];
    const parts = [
      ...(roles.length === 0
        ? []
        : [
            `ownership and privileges of the ${plural('role', roles)} ${roles.join(', ')}, since there is no such role`,
          ]),
      ...(settings.length === 0
        ? []
        : [`the ${plural('setting', settings)} ${settings.join(', ')}, which this Postgres does not know`]),
    ];
    return `${some[0]?.file}: ${parts.join('; ')}`;
  });
}

function plural(word: string, { length }: readonly string[]): string {
  return length === 1 ? word : `${word}s`;
}
