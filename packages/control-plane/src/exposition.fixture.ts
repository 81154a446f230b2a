/** A family of the Prometheus text format, as it was read. */
export interface MetricFamily {
  readonly help: string
  readonly type: string
  /** Names of its series' labels, without `le` and `quantile`, sorted. */
  readonly labels: readonly string[]
  /** Texts of `le`, in the order in which they came. */
  readonly bounds: readonly string[]
  readonly samples: number
}

interface Reading {
  help: string
  type: string
  readonly labels: Set<string>
  readonly bounds: Set<string>
  readonly seen: Set<string>
  /** By series without `le`: the last bucket's bound and count, and what `_count` says. */
  readonly histograms: Map<string, { bound: number; total: number }>
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\n"])*)"(?:,|$)/gy

/** Strictly: throws for what is not as the format wants it, be it only that a family's lines are not together or that buckets do not add up. */
export function readExposition(text: string): ReadonlyMap<string, MetricFamily> {
  const families = new Map<string, Reading>()
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  let family: Reading | undefined
  let name = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, what, of = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (what === 'HELP') {
      if (families.has(of)) throw new Error(`twice: ${line}`)
      name = of
      family = { help: rest, type: '', labels: new Set(), bounds: new Set(), seen: new Set(), histograms: new Map() }
      families.set(name, family)
    } else if (what === 'TYPE') {
      if (of !== name || family === undefined || family.type !== '' || family.seen.size > 0) throw new Error(`out of place: ${line}`)
      family.type = rest
    } else {
      if (family === undefined || family.type === '') throw new Error(`nothing announced it: ${line}`)
      readSample(line, name, family)
    }
  }
  return new Map(Array.from(families, ([key, reading]) => [key, finished(key, reading)]))
}

function readSample(line: string, family: string, reading: Reading): void {
  const [, full = '', labels = '', text = ''] = sample.exec(line) ?? []
  const suffix = full.slice(family.length)
  const suffixes = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] }[reading.type] ?? ['']
  if (!full.startsWith(family) || !suffixes.includes(suffix)) throw new Error(`not of ${family}: ${line}`)
  const value = Number(text)
  if (Number.isNaN(value) && text !== 'NaN') throw new Error(`no number: ${line}`)
  if (reading.type === 'counter' && !(value >= 0)) throw new Error(`no count: ${line}`)
  if (reading.seen.has(`${full}{${labels}}`)) throw new Error(`twice: ${line}`)
  reading.seen.add(`${full}{${labels}}`)

  const names: string[] = []
  let series = ''
  let bound: string | undefined
  label.lastIndex = 0
  for (let at = 0; at < labels.length; at = label.lastIndex) {
    const found = label.exec(labels)
    if (found === null) throw new Error(`no label: ${line}`)
    const [whole, key = '', own = ''] = found
    if (names.includes(key)) throw new Error(`label twice: ${line}`)
    names.push(key)
    if (key === 'le') bound = own
    else series += whole.replace(/,$/, '')
  }
  for (const key of names) if (key !== 'le' && key !== 'quantile') reading.labels.add(key)
  if ((bound !== undefined) !== (suffix === '_bucket')) throw new Error(`le where there should be none, or none: ${line}`)
  if (bound !== undefined) {
    reading.bounds.add(bound)
    const before = reading.histograms.get(series) ?? { bound: -Infinity, total: 0 }
    const next = bound === '+Inf' ? Infinity : Number(bound)
    if (!(next > before.bound) || value < before.total) throw new Error(`buckets do not ascend: ${line}`)
    reading.histograms.set(series, { bound: next, total: value })
  } else if (suffix === '_count' && reading.type === 'histogram') {
    const last = reading.histograms.get(series)
    if (last?.bound !== Infinity || last.total !== value) throw new Error(`buckets do not add up: ${line}`)
  }
}

function finished(name: string, { help, type, labels, bounds, seen }: Reading): MetricFamily {
  if (!/^(counter|gauge|histogram|summary)$/.test(type) || seen.size === 0) throw new Error(`${name}: ${type}, ${seen.size} samples`)
  return { help, type, labels: [...labels].toSorted(), bounds: [...bounds], samples: seen.size }
}
