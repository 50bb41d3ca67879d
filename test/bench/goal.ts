/** One performance goal: what was measured, against what was promised. */
export interface Goal {
  readonly name: string;
  readonly measured: string;
  readonly goal: string;
  readonly reached: boolean;
}
