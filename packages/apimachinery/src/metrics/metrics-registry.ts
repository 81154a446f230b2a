/** One line or more of the Prometheus text format, made when asked for. */
export interface Collector {
  collect(): string
}

/** The metrics of one server. */
export interface MetricsRegistry {
  register<T extends Collector>(collector: T): T
  /** The Prometheus text exposition format, version 0.0.4. */
  text(): string
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
  }
}
