/**
 * From where on a slice does not count. Shares are 0..1 of the whole. The comment at each says why it stands where it
 * stands; the A/A runs named there were made on a two-core VM that generator, service and Postgres share.
 */
export const validityLimits = {
  /** Over the scenario's `load.maxFailedRate`, which is this where a journal of old does not say. */
  failedPercent: 1,

  /**
   * How far throughput x mean latency / connections may be from 1 in a closed loop. In A/A runs it was 0.97 with one
   * connection and 0.99 to 1.01 with more. Allowed for on top: answers that straddle the window's ends move it by up to
   * mean latency / window, and between an answer and the next request the generator takes a moment of its own.
   */
  littlesLaw: 0.05,
  littlesLawOwnMsPerRequest: 0.1,
  /** Failures have no latency, so with more of them the law says nothing. */
  littlesLawMostFailed: 0.01,

  /** Above it latency is the generator's queue as much as the service's. 0.10 to 0.21 in A/A runs. */
  eventLoopUtilisation: 0.85,

  /** Of segments sent. Loopback loses none (6 of 100,000 were the most, beside a CPU hog); a real network that loses 1 in 1,000 adds a 200 ms tail to every p99.9. */
  retransmitShare: 0.001,
  /** A few are chance (one late timer in a short slice), and no share of next to nothing. */
  retransmitsLeast: 3,

  /** Stolen time stops service, generator and Postgres alike, at moments that differ from arm to arm. A/A: 0 to 0.1 %. */
  stealShare: 0.01,

  /**
   * 5 % of two cores are 0.1 s in every second that some arm had and another had not. Quiet A/A slices had 0 to 1 %,
   * once 3 %; beside one busy core 30 to 65 %. What the machine counts as busy and what its processes add up to differ
   * by up to 2 % over 4 s, so a lower limit would void by chance.
   */
  foreignCpuShare: 0.05,
  /** CPU time is told in ticks of 10 ms, which is coarse against a short slice: this many ticks are let pass. */
  tickMs: 10,

  /** Share of the time in which something waited for memory: 0 on a machine that has enough of it. */
  memoryPressureShare: 0.1,

  /**
   * How far IO pressure may be above the median of the cell's own earlier slices. An fsync for every write keeps it high
   * all the time (0.02 to 0.06 on the fast disk here, over 0.5 on others), and how high differs by variant, which may be
   * the very effect: so only a cell's own past is a measure.
   */
  ioPressureJump: 0.25,
  /** With fewer earlier slices there is no usual value to jump from. */
  jumpLeastEarlier: 3,

  /**
   * Connections opened beyond those asked for, per request: more, and what is measured is connecting. Where the service
   * closes after all answers but this share of them, it does so always, and that is no fault of the measurement.
   */
  reconnectShare: 0.05,
} as const;
