/** A source of metrics in the Prometheus text format. It is read at each scrape. */
export interface Collector {
  collect(): string
  /** Resets the counts. Collectors that report current state do not have this method. */
  reset?(): void
}

/**
 * The metrics of one server. Does not use a Prometheus client library. Such libraries look up a series by its labels at each observation, which
 * takes longer than a small response. They also have one registry for each process, which may contain many servers.
 */
export interface MetricsRegistry {
  register<T extends Collector>(collector: T): T
  /** Returns all metrics in the Prometheus text exposition format, version 0.0.4. */
  text(): string
  /** Resets all counts. References to series stay valid. */
  reset(): void
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'

export function createMetricsRegistry(): MetricsRegistry {
  const collectors: Collector[] = []
  return {
    register: (collector) => {
      collectors.push(collector)
      return collector
    },
    text: () => collectors.map((collector) => collector.collect()).join(''),
    reset: () => {
      for (const collector of collectors) collector.reset?.()
    },
  }
}
