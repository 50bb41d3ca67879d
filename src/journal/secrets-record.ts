import { byName, fields, optional, orNull, text, type ValueOf } from './shape.ts';

/** Digests of the scenario's secrets, which stand in it as `***`. */
const secretsRecord = fields({
  /** Identifies the key that the digests were made with; null where there was none: then they are empty. */
  key: orNull(text),
  /** HMAC-SHA-256 by place in the scenario: `target.env.API_KEY`. */
  digests: byName(text),
});
export const secrets = {
  /** Absent where the scenario has no secrets. */
  secrets: optional(secretsRecord),
};
export interface WithSecrets extends ValueOf<typeof withSecrets> {}
const withSecrets = fields(secrets);

/** Secrets that differ from those that the run began with, by place; null where no key can compare them. */
export interface SecretsWarning {
  readonly kind: 'secrets-changed';
  readonly places: readonly string[] | null;
}
