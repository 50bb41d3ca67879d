import { looks, postgresVersions, type Thing } from './things.ts';

/** What may be required by one word, besides each thing by its own. */
const groups: Readonly<Record<string, readonly Thing[]>> = {
  opensearch: ['opensearch', 'maven'],
  docker: ['docker-postgres', 'docker-other-postgres', 'docker-opensearch'],
  versions: postgresVersions.map((version) => `postgres-${version}` as const),
};

/** The things that a list such as `opensearch,docker` names. A word that names nothing would require nothing: it throws. */
export function requiredThings(list: string): ReadonlySet<Thing> {
  const words = list.split(/[\s,]+/).filter((word) => word !== '');
  return new Set(
    words.flatMap((word) => {
      if (groups[word]) return groups[word];
      if (word in looks) return [word as Thing];
      throw new Error(
        `PGSWEEP_TEST_REQUIRE names "${word}"; there are ${[...Object.keys(groups), ...Object.keys(looks)].join(', ')}`,
      );
    }),
  );
}
