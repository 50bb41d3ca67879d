/** What became of the answers as expected of a whole slice, in equal parts of its window, in their order. */
export interface CourseRecord extends CourseOfRequests {
  readonly partMs: number;
  /** 0 where there was no answer. */
  readonly p99Us: readonly number[];
  /** By request name, where the workload has more than one. */
  readonly byRequest: Readonly<Record<string, CourseOfRequests>>;
}

export interface CourseOfRequests {
  readonly ok: readonly number[];
  /** 0 where there was no answer. */
  readonly meanUs: readonly number[];
}
