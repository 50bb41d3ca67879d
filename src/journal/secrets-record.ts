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
