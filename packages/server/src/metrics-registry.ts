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

export type LabelValues = Readonly<Record<string, string>>

export function head(name: string, help: string, type: 'counter' | 'gauge' | 'histogram'): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
}

/** `a="1",b="2"`, in the order of the names as the format's readers expect from Go: sorted. */
export function labelText(labels: LabelValues): string {
  return Object.keys(labels)
    .sort()
    .map((name) => `${name}="${escape(labels[name]!)}"`)
    .join(',')
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
