import type { Random } from '../../../random.ts';

const verbs =
  'describe compare identify analyze explain interpret evaluate use apply recognize construct summarize investigate represent distinguish predict organize justify demonstrate classify';
const adjectives =
  'Regional Primary General Shared Advanced Common Local Adaptive Formal Public Partial Extended Supported Combined Individual Blended Seasonal Accredited Standard Alternate';
const nouns =
  'Placement Program Service Measure Review Support Category Setting Agreement Status Pathway Assignment Reporting Evaluation Method Credit Instruction Provider Condition Period';
const topics =
  'fractions ratios narratives timelines ecosystems proportions evidence sources paragraphs equations graphs habitats rhythms maps forces melodies budgets arguments vocabulary patterns matter energy cultures markets rights';
const links =
  'in familiar texts|with and without technology|using appropriate tools|in the context of a real problem|from several points of view|over the course of a unit|including everyday examples|based on what was observed|through discussion and writing';
const streets = 'Elm Maple Cedar Oak Main Pecan Willow Space River Hill Station Mission Prairie Juniper Lake';
const places = 'Grand Bend Cedar Hollow Pine Ridge Stone Creek Red Bluff Mesa Verde Salt Flats Blue Lake Dry Fork';

const verbList = verbs.split(' ');
const adjectiveList = adjectives.split(' ');
const nounList = nouns.split(' ');
const topicList = topics.split(' ');
const linkList = links.split('|');
export const streetNames: readonly string[] = streets.split(' ');

const placeWords = places.split(' ');
/** Two words each: Grand Bend, Cedar Hollow, ... */
export const placeNames: readonly string[] = placeWords
  .filter((_, index) => index % 2 === 0)
  .map((first, index) => `${first} ${placeWords[2 * index + 1]}`);

/** The phrase of an index: no two indexes have the same one, on any machine. */
export function phraseOf(index: number): string {
  const adjective = adjectiveList[index % adjectiveList.length];
  const noun = nounList[Math.floor(index / adjectiveList.length) % nounList.length];
  const cycle = Math.floor(index / (adjectiveList.length * nounList.length));
  return cycle === 0 ? `${adjective} ${noun}` : `${adjective} ${noun} ${cycle + 1}`;
}

/** One thing that a student can do. */
export function clause(random: Random): string {
  const [first, second] = [random.pick(topicList), random.pick(topicList)];
  return `${random.pick(verbList)} and ${random.pick(verbList)} ${first} and ${second} ${random.pick(linkList)}`;
}
