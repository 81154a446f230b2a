/** Metric family parsed from the Prometheus text format. */
export interface MetricFamily {
  readonly help: string
  readonly type: string
  /** Sorted label names, without `le` and `quantile`. */
  readonly labels: readonly string[]
  /** Bucket bounds (values of the label `le`) in order of appearance. */
  readonly bounds: readonly string[]
  readonly samples: number
}

interface ParsedFamily {
  help: string
  type: string
  readonly labels: Set<string>
  readonly bounds: Set<string>
  readonly visited: Set<string>
  /** Bound and count of the last parsed bucket, by series without the label `le`. */
  readonly histograms: Map<string, { bound: number; total: number }>
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\n"])*)"(?:,|$)/gy

/**
 * Parses the Prometheus text format strictly. Throws for every violation, such as a metric family that is split or inconsistent buckets.
 */
export function parseExposition(text: string): ReadonlyMap<string, MetricFamily> {
  const families = new Map<string, ParsedFamily>()
  if (!text.endsWith('\n')) throw new Error('missing newline at the end')
  let family: ParsedFamily | undefined
  let name = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, of = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      if (families.has(of)) throw new Error(`duplicate: ${line}`)
      name = of
      family = { help: rest, type: '', labels: new Set(), bounds: new Set(), visited: new Set(), histograms: new Map() }
      families.set(name, family)
    } else if (keyword === 'TYPE') {
      if (of !== name || family === undefined || family.type !== '' || family.visited.size > 0) throw new Error(`unexpected TYPE: ${line}`)
      family.type = rest
    } else {
      if (family === undefined || family.type === '') throw new Error(`sample without HELP and TYPE: ${line}`)
      parseSample(line, name, family)
    }
  }
  return new Map(Array.from(families, ([key, parsed]) => [key, toMetricFamily(key, parsed)]))
}

function parseSample(line: string, family: string, parsed: ParsedFamily): void {
  const [, full = '', labels = '', text = ''] = sample.exec(line) ?? []
  const suffix = full.slice(family.length)
  const suffixes = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] }[parsed.type] ?? ['']
  if (!full.startsWith(family) || !suffixes.includes(suffix)) throw new Error(`sample does not belong to ${family}: ${line}`)
  const value = Number(text)
  if (Number.isNaN(value) && text !== 'NaN') throw new Error(`invalid number: ${line}`)
  if (parsed.type === 'counter' && !(value >= 0)) throw new Error(`invalid count: ${line}`)
  if (parsed.visited.has(`${full}{${labels}}`)) throw new Error(`duplicate: ${line}`)
  parsed.visited.add(`${full}{${labels}}`)

  const names: string[] = []
  let series = ''
  let bound: string | undefined
  label.lastIndex = 0
  for (let at = 0; at < labels.length; at = label.lastIndex) {
    const labelMatch = label.exec(labels)
    if (labelMatch === null) throw new Error(`invalid label: ${line}`)
    const [whole, key = '', own = ''] = labelMatch
    if (names.includes(key)) throw new Error(`duplicate label: ${line}`)
    names.push(key)
    if (key === 'le') bound = own
    else series += whole.replace(/,$/, '')
  }
  for (const key of names) if (key !== 'le' && key !== 'quantile') parsed.labels.add(key)
  if ((bound !== undefined) !== (suffix === '_bucket')) throw new Error(`missing or unexpected le: ${line}`)
  if (bound !== undefined) {
    parsed.bounds.add(bound)
    const previous = parsed.histograms.get(series) ?? { bound: -Infinity, total: 0 }
    const upperBound = bound === '+Inf' ? Infinity : Number(bound)
    if (!(upperBound > previous.bound) || value < previous.total) throw new Error(`buckets do not ascend: ${line}`)
    parsed.histograms.set(series, { bound: upperBound, total: value })
  } else if (suffix === '_count' && parsed.type === 'histogram') {
    const last = parsed.histograms.get(series)
    if (last?.bound !== Infinity || last.total !== value) throw new Error(`buckets do not add up: ${line}`)
  }
}

function toMetricFamily(name: string, { help, type, labels, bounds, visited }: ParsedFamily): MetricFamily {
  if (!/^(counter|gauge|histogram|summary)$/.test(type) || visited.size === 0) throw new Error(`${name}: ${type}, ${visited.size} samples`)
  return { help, type, labels: [...labels].toSorted(), bounds: [...bounds], samples: visited.size }
}
