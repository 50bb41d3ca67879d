/** One request, ready to be sent. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Index into the source's names. */
  readonly name: number;
}
