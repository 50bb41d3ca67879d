/** Digests of the scenario's secrets, which stand in it as `***`. */
export interface SecretsRecord {
  /** Which key the digests were made with; null where there was none: then they are empty. */
  readonly key: string | null;
  /** HMAC-SHA-256 by place in the scenario: `target.env.API_KEY`. */
  readonly digests: Readonly<Record<string, string>>;
}

export interface WithSecrets {
  /** Absent where the scenario has no secrets. */
  readonly secrets?: SecretsRecord;
}

/** Secrets that differ from those that the run began with, by place; null where no key can compare them. */
export interface SecretsWarning {
  readonly kind: 'secrets-changed';
  readonly places: readonly string[] | null;
}
