import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { RecommendationNote, RoundsNeeded } from '../../notes.ts';
import { significant } from '../../stats/rounding.ts';
import {
  type DecisionGate,
  type GateOutcome,
  type GateRules,
  type GateVerdict,
  isAskedAt,
  settingOf,
} from '../gate.ts';
import type { Setting } from '../variant-order.ts';
import type { Advice, Recommendation } from './recommend.ts';

/** The decisions of a run, for gates to look at. */
export interface GatedDecisions {
  readonly advice: Advice;
  /** From the cheapest to the most expensive. */
  readonly settings: readonly Setting[];
  /** Complete rounds so far. */
  readonly rounds: number;
}

/** A gate on the decision, asked of one load level. */
export interface DecisionResult extends GateVerdict {
  readonly kind: 'decision';
  /** The setting that has to be the one to take. */
  readonly variant: string;
  readonly load: LoadLevel;
  /**
   * The setting to take instead: under all load levels, if the gate asks for that and it is decided. Null where there
   * is none.
   */
  readonly recommended: string | null;
  /** The settings that may be the one to take under this load level, the cheapest first; empty where there is none. */
  readonly candidates: readonly string[];
  /** Why it is unclear, or why no setting can be taken. */
  readonly notes: readonly RecommendationNote[];
}

/**
 * Asks a gate on the decision of each load level that it is about. It passes where its setting is the one to take, under this load
 * level or, where the gate names none, under all of them. It fails where another one is, or where its setting is ruled out; else
 * it is unclear. It is wrong as often as the decision is.
 */
export function judgeDecision(gate: DecisionGate, decisions: GatedDecisions, rules: GateRules): DecisionResult[] {
  const { advice, settings, rounds } = decisions;
  const setting = settingOf(gate, settings);
  if (setting === null) return [];
  const asked = advice.recommendation.filter(({ load }) => isAskedAt(gate, load));
  return asked.map((one) => {
    const outcome = outcomeOf(gate, setting, one, decisions);
    const wait = outcome === 'unclear' ? waitIn(one.notes) : undefined;
    const isKnown = wait?.rounds != null && rules.roundMs !== null;
    return {
      kind: 'decision',
      gate: gate.text,
      variant: setting.variant,
      load: one.load,
      outcome,
      failed: outcome === 'fail' || (outcome === 'unclear' && rules.unclear === 'fail'),
      recommended: outcome === 'pass' ? null : ((gate.load === null ? advice.recommended.variant : null) ?? one.keep),
      candidates: one.candidates,
      notes:
        outcome === 'pass' ? [] : one.notes.filter(({ kind }) => outcome === 'unclear' || kind !== 'rounds-needed'),
      moreMinutes: isKnown ? significant(((wait.rounds - rounds) * rules.roundMs) / 60_000) : null,
    };
  });
}

function waitIn(notes: readonly RecommendationNote[]): RoundsNeeded | undefined {
  return notes.flatMap((note) => (note.kind === 'rounds-needed' ? [note] : []))[0];
}

function outcomeOf(
  { load }: DecisionGate,
  setting: Setting,
  one: Recommendation,
  { advice, settings }: GatedDecisions,
): GateOutcome {
  const { variant } = setting;
  const ofAll = load === null ? advice.recommended.variant : null;
  if (one.keep === variant || ofAll === variant) return 'pass';
  if (one.against === null)
    return one.notes.some(({ kind }: RecommendationNote) => kind === 'none-sustained') ? 'fail' : 'unclear';
  if (one.candidates.includes(variant)) return 'unclear';
  const isOpen = load === null && ofAll === null && advice.recommendation.some(({ keep }) => keep === null);
  const dearest = settings.findLastIndex((known) => one.candidates.includes(known.variant));
  // The setting for all load levels is the largest of theirs, and another load level may still call for this one.
  const mayBeOfAll = isOpen && settings.indexOf(setting) > dearest && !one.failing.includes(variant);
  return mayBeOfAll ? 'unclear' : 'fail';
}
