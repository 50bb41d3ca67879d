/**
 * From where on a slice does not count: only what makes its own number wrong. What comes from outside strikes all arms of
 * a pass alike, and is noise. Shares are 0..1 of the whole. The comment at each says why it stands where it
 * stands; the A/A runs named there were made on a two-core VM that generator, service and Postgres share.
 */
export const validityLimits = {
  /** Over the scenario's `load.maxFailedRate`, which is this where a scenario does not say. */
  failedPercent: 1,

  /**
   * How far throughput x mean latency / connections may be from 1 in a closed loop. In A/A runs it was 0.97 with one
   * connection and 0.99 to 1.01 with more. Each request counts by its time within
   * the window. Allowed for on top: between an answer and the next request the generator takes its own moment.
   * (Little 1961; here the time that requests were under way, per connection and time.)
   */
  littlesLaw: 0.05,
  littlesLawOwnMsPerRequest: 0.1,
  /** Failures have no latency, so with more of them the law says nothing. */
  littlesLawMostFailed: 0.01,

  /** Above it latency is the generator's queue as much as the service's. 0.10 to 0.21 in A/A runs. */
  eventLoopUtilisation: 0.85,

  /** The share of segments sent. Loopback loses none (6 of 100,000 were the most, beside a CPU hog); a real network that loses 1 in 1,000 adds a 200 ms tail to every p99.9. */
  retransmitShare: 0.001,
  /** A few are chance (one late timer in a short slice), and no share of next to nothing. */
  retransmitsLeast: 3,

  /**
   * How much later than at its time a request of an open loop may be sent (p99): above both, the generator's own queue is in
   * the latencies. The share is of the median latency; in a search for capacities of the least limit of a latency, if that is
   * more. At 2,000 requests a second, beside a service and a lot of other work on two cores, half were sent within 0.04 ms.
   */
  sendLagP99Us: 2000,
  sendLagShare: 0.1,

  /** Connections opened beyond those asked for, per request: more, and what is measured is connecting. */
  reconnectShare: 0.05,
} as const;
