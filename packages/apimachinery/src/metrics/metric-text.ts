export type LabelValues = Readonly<Record<string, string>>

export function metricHeader(name: string, help: string, type: 'counter' | 'gauge' | 'histogram' | 'summary'): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
}

/** Formats `a="1",b="2"`, sorted by name as in Go's exposition. */
export function labelText(labels: LabelValues): string {
  return Object.keys(labels)
    .sort()
    .map((name) => `${name}="${escape(labels[name]!)}"`)
    .join(',')
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** Formats a bucket's bound like Go, because readers compare it as text: "0.0001", "1e-05", "100000", "1e+06". */
export function boundText(bound: number): string {
  const [digits = '', exponent = ''] = bound.toExponential().split('e')
  const power = Number(exponent)
  if (bound === 0 || (power >= -4 && power < 6)) return String(bound)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
