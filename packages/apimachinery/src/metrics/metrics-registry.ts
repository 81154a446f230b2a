import type { LabelConstraint, LabelValues } from './metric-text.ts'
import { createCounter, createSampledMetric } from './value-vector.ts'
import type { ValueVector } from './value-vector.ts'

/** A metric family. It is read at each scrape. */
export interface Collector {
  readonly name: string
  /**
   * Help text. It begins with the stability level in brackets and, for a deprecated metric, the release that deprecated it: `[ALPHA] (Deprecated
   * since 1.34.0) Number of objects.`
   */
  readonly help: string
  /** Returns the family in the Prometheus text format, in pieces that take little time each. Returns no pieces if there are no series. */
  collect(): Iterable<string>
  /** Resets the counts. Collectors that report current state do not have this method. */
  reset?(): void
  /** Sets a function that replaces label values. The registry calls it before any series exists. */
  constrainLabels?(constraint: LabelConstraint): void
}

export interface MetricsSettings {
  /** Names of metrics that are not served. */
  readonly disabled?: readonly string[]
  /** Serves metrics that are hidden because they were deprecated long ago. Default: false. */
  readonly showHidden?: boolean
  /** Allowed values of labels, by "metric,label". Other values are reported as "unexpected". */
  readonly allowedLabels?: Readonly<Record<string, readonly string[]>>
  /** Serves metrics about the registry: numbers of registered, hidden and disabled metrics, and of unexpected label values. Default: false. */
  readonly includesRegistryMetrics?: boolean
}

/**
 * The metrics of one server. Does not use a Prometheus client library. Such libraries look up a series by its labels at each observation, which
 * takes longer than a small response. They also have one registry for each process, which may contain many servers.
 */
export interface MetricsRegistry {
  register<T extends Collector>(collector: T): T
  /** Returns all metrics in the Prometheus text exposition format, version 0.0.4, in pieces that take little time each. */
  collect(): Iterable<string>
  /** Returns all metrics as one text. */
  text(): string
  /** Resets all counts. References to series stay valid. */
  reset(): void
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'

/** Minor version of the Kubernetes release that decides which deprecated metrics are hidden. */
const minorVersion = 36
/** Number of minor releases for which a deprecated metric is served, by stability level. */
const deprecationPeriods: Readonly<Record<string, number>> = { STABLE: 3, BETA: 1 }
const unexpectedValue = 'unexpected'

export function createMetricsRegistry(settings: MetricsSettings = {}): MetricsRegistry {
  const collectors: Collector[] = []
  const disabled = new Set(settings.disabled)
  const registryMetrics = createRegistryMetrics(disabled.size)
  const allowedByMetric = groupByMetric(settings.allowedLabels ?? {})

  function register<T extends Collector>(collector: T): T {
    const { level, deprecatedSince } = parseHelp(collector.help)
    const isHidden = isPastDeprecation(level, deprecatedSince) && settings.showHidden !== true
    if (isHidden || disabled.has(collector.name)) {
      registryMetrics.hidden.value++
      return collector
    }
    if (level !== '') registryMetrics.registered.with({ stability_level: level, deprecated_version: deprecatedSince }).value++
    const allowed = allowedByMetric.get(collector.name)
    if (allowed !== undefined) collector.constrainLabels?.((labels) => replaceUnexpected(labels, allowed))
    collectors.push(collector)
    return collector
  }

  function replaceUnexpected(labels: LabelValues, allowed: AllowedValues): LabelValues {
    const constrained: Record<string, string> = { ...labels }
    for (const [name, values] of allowed) {
      if (constrained[name] === undefined || values.has(constrained[name])) continue
      constrained[name] = unexpectedValue
      registryMetrics.unexpected.value++
    }
    return constrained
  }

  function* collect(): Iterable<string> {
    for (const collector of collectors.toSorted((a, b) => (a.name < b.name ? -1 : 1))) yield* collector.collect()
  }

  if (settings.includesRegistryMetrics === true) for (const metric of registryMetrics.collectors) register(metric)
  return {
    register,
    collect,
    text: () => [...collect()].join(''),
    reset: () => {
      for (const collector of collectors) collector.reset?.()
    },
  }
}

type AllowedValues = ReadonlyMap<string, ReadonlySet<string>>

function groupByMetric(allowedLabels: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, AllowedValues> {
  const grouped = new Map<string, Map<string, ReadonlySet<string>>>()
  for (const [key, values] of Object.entries(allowedLabels)) {
    const [metric = '', label = ''] = key.split(',')
    const labels = grouped.get(metric) ?? new Map<string, ReadonlySet<string>>()
    grouped.set(metric, labels.set(label, new Set(values)))
  }
  return grouped
}

/** Parses the stability level and the release that deprecated a metric. Both are empty for metrics of the runtime. */
function parseHelp(help: string): { readonly level: string; readonly deprecatedSince: string } {
  const [, level = '', deprecatedSince = ''] = /^\[(\w+)\] (?:\(Deprecated since ([\d.]+)\) )?/.exec(help) ?? []
  return { level, deprecatedSince }
}

function isPastDeprecation(level: string, deprecatedSince: string): boolean {
  const [, minor] = deprecatedSince.split('.')
  return minor !== undefined && Number(minor) + (deprecationPeriods[level] ?? 0) <= minorVersion
}

interface RegistryMetrics {
  readonly registered: ValueVector
  readonly hidden: { value: number }
  readonly unexpected: { value: number }
  readonly collectors: readonly Collector[]
}

function createRegistryMetrics(disabledCount: number): RegistryMetrics {
  const registered = createCounter(
    'registered_metrics_total',
    '[BETA] The count of registered metrics broken by stability level and deprecation version.',
  )
  const hidden = createCounter('hidden_metrics_total', '[BETA] The count of hidden metrics.')
  const unexpected = createCounter(
    'cardinality_enforcement_unexpected_categorizations_total',
    '[ALPHA] The count of unexpected categorizations during cardinality enforcement.',
  )
  const disabled = createSampledMetric('counter', 'disabled_metrics_total', '[BETA] The count of disabled metrics.', () => disabledCount)
  return { registered, hidden: hidden.with({}), unexpected: unexpected.with({}), collectors: [registered, hidden, disabled, unexpected] }
}
