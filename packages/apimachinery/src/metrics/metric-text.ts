export type LabelValues = Readonly<Record<string, string>>

export function head(name: string, help: string, type: 'counter' | 'gauge' | 'histogram' | 'summary'): string {
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

/** A bucket's bound as Go's programs write it, for it is compared as a text: "0.0001", "1e-05", "100000", "1e+06". */
export function boundText(bound: number): string {
  const [digits = '', exponent = ''] = bound.toExponential().split('e')
  const power = Number(exponent)
  if (bound === 0 || (power >= -4 && power < 6)) return String(bound)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
