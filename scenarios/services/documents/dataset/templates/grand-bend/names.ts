import type { Random } from '../../../random.ts';

/** Names that nobody chose for a child: two lists of beginnings and ends, put together at random. */
const firstStarts = 'Al Bren Cal Dor El Fen Gar Hal Il Jor Kel Lor Mar Nol Or Per Quin Ros Sel Tam Ul Ver Wil Yan Zel';
const firstEnds = 'a an ard bet da den dric en eth i ian ina is lin lo mira na nor o ric rin sa son ta us vin wyn';
const lastStarts =
  'Ash Birch Bramble Brook Clay Cliff Cold Crane East Elder Fair Fern Flint Frost Gold Hazel Heron Iron Lark Long Marsh Mist Moss Oak Otter Pine Quarry Raven Reed Rowan Silver Stone Summer Thorn Umber Vale West Willow Winter Wren';
const lastEnds =
  'bank bridge combe croft dale field ford gate grove ham hill hurst land ley mere moor ridge shaw stead thorpe wall water well wick worth';

const lists = [firstStarts, firstEnds, lastStarts, lastEnds].map((list) => list.split(' '));
const [firstStartList = [], firstEndList = [], lastStartList = [], lastEndList = []] = lists;

/** A made-up first name. */
export function firstName(random: Random): string {
  return random.pick(firstStartList) + random.pick(firstEndList);
}

/** A made-up family name. */
export function lastName(random: Random): string {
  return random.pick(lastStartList) + random.pick(lastEndList);
}
