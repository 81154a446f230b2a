export type Labels = Readonly<Record<string, string>>

export interface Sample {
  readonly name: string
  readonly labels: Labels
  readonly value: number
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\n"])*)"/g

/** Samples of a page in the Prometheus text format. */
export class MetricsPage {
  /** Type by metric family. */
  readonly types: ReadonlyMap<string, string>
  readonly #samples = new Map<string, Sample[]>()

  constructor(text: string) {
    const types = new Map<string, string>()
    for (const line of text.split('\n')) {
      const [, family, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
      if (family !== undefined && type !== undefined) types.set(family, type)
      if (line === '' || line.startsWith('#')) continue
      const [, name = '', labels = '', value = ''] = sample.exec(line) ?? []
      if (name === '') throw new Error(`invalid sample: ${line}`)
      const samples = this.#samples.get(name) ?? []
      if (samples.length === 0) this.#samples.set(name, samples)
      samples.push({ name, labels: parseLabels(labels), value: parseValue(value) })
    }
    this.types = types
  }

  names(): Iterable<string> {
    return this.#samples.keys()
  }

  samples(name: string): readonly Sample[] {
    return this.#samples.get(name) ?? []
  }

  /** Returns the sum of the samples that have all these labels. */
  sum(name: string, labels: Labels = {}): number {
    const wanted = Object.entries(labels)
    return this.samples(name)
      .filter((each) => wanted.every(([key, value]) => each.labels[key] === value))
      .reduce((sum, { value }) => sum + value, 0)
  }
}

function parseLabels(text: string): Labels {
  const labels: Record<string, string> = {}
  for (const [, name = '', value = ''] of text.matchAll(label))
    labels[name] = value.replace(/\\([\\n"])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
  return labels
}

function parseValue(text: string): number {
  if (text === '+Inf') return Infinity
  return text === '-Inf' ? -Infinity : Number(text)
}
