/** One line or more of the Prometheus text format, made when asked for. */
export interface Collector {
  collect(): string
  /** Begins to count anew. What tells of now, and not of what has been, has nothing to reset. */
  reset?(): void
}

/**
 * The metrics of one server. They are our own code: client libraries look a series up by its labels at each observation, which costs more than a small answer, and
 * keep one registry for the process, while one process may hold many servers. The text format is a page.
 */
export interface MetricsRegistry {
  register<T extends Collector>(collector: T): T
  /** The Prometheus text exposition format, version 0.0.4. */
  text(): string
  /** Everything that was counted is forgotten. Series stay, for those who hold them go on counting. */
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
