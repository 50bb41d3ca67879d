import { didYouMean } from '../../base/nearest.ts';
import { reservedSettings } from '../../journal/postgres/reserved-settings.ts';
import type { PostgresRelease, ResolvedScenario } from '../../journal/scenario-record.ts';
import { placeOfSetting, settableNames } from './setting-names.ts';
import { majorOf, versionsInstead } from './setting-versions.ts';

/** A setting that a server would refuse, of a variant or, where `variant` is null, of the stack. */
export interface SettingMistake {
  readonly variant: string | null;
  readonly setting: string;
  readonly message: string;
}

/**
 * The settings of a scenario that its servers do not have or that cannot vary. `versionOf` tells the version of a server,
 * `17` or `17.2`, or null where it is not known: then a setting of any version will do.
 */
export function settingMistakes(
  { stack: { postgres }, variants }: Pick<ResolvedScenario, 'stack' | 'variants'>,
  versionOf: (release: PostgresRelease) => string | null,
): SettingMistake[] {
  const mistakes = new Map<string, SettingMistake>();
  const add = (variant: string | null, setting: string, message: string | null): void => {
    if (message !== null) mistakes.set(JSON.stringify([variant, setting]), { variant, setting, message });
  };
  for (const { name, treatment } of variants) {
    const release = treatment?.postgres ?? {};
    const server = release.version === undefined && release.image === undefined ? { ...postgres, ...release } : release;
    const varied = Object.keys(treatment?.settings ?? {});
    // The settings of another image are not known: its server is asked.
    const shared = server.image === undefined ? Object.keys(postgres.settings) : [];
    if (varied.length + shared.length === 0) continue;
    const major = majorOf(versionOf(server));
    for (const setting of varied) add(name, setting, variedMistake(setting, major));
    for (const setting of shared) add(null, setting, reservedMistake(setting) ?? nameMistake(setting, major));
  }
  return [...mistakes.values()];
}

/** The mistake in a setting that varies, on a server of that major version (null: of any); null where there is none. */
export function variedMistake(name: string, major: number | null): string | null {
  return placeOfSetting(name) === 'nobody'
    ? `the setting ${name} cannot vary: Postgres itself, the bench, or each connection sets it`
    : nameMistake(name, major);
}

function reservedMistake(name: string): string | null {
  const [, why] = Object.entries(reservedSettings).find(([key]) => key === name.toLowerCase()) ?? [];
  return why === undefined ? null : `the setting ${name} cannot be set: ${why}`;
}

function nameMistake(name: string, major: number | null): string | null {
  const its = major === null ? 'Postgres 13 to 18' : `Postgres ${major}`;
  if (placeOfSetting(name) !== null) {
    const others = major === null ? null : versionsInstead(name, major);
    return others === null ? null : `${its} has no setting "${name}": ${others} have it`;
  }
  const names = settableNames().filter((one) => major === null || versionsInstead(one, major) === null);
  return `unknown setting "${name}": expected a setting of ${its}${didYouMean(name, names)}`;
}
