export type LabelValues = Readonly<Record<string, string>>

/** Returns labels with the same names and allowed values. */
export type LabelConstraint = (labels: LabelValues) => LabelValues

export function formatMetricHeader(name: string, help: string, type: 'counter' | 'gauge' | 'histogram' | 'summary'): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
}

/** Formats labels as `a="1",b="2"`, sorted by name like Go's Prometheus client. */
export function labelText(labels: LabelValues): string {
  // A server formats thousands of label sets at its start. Sorting a list of sorted names, and `map` and `join`, would take most of the time.
  const names = Object.keys(labels)
  if (!names.every((name, i) => i === 0 || names[i - 1]! < name)) names.sort()
  let text = ''
  for (const name of names) text += `${text === '' ? '' : ','}${name}="${escape(labels[name]!)}"`
  return text
}

function escape(value: string): string {
  if (!/[\\"\n]/.test(value)) return value
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/**
 * Formats the upper bound of a bucket like Go: "0.0001", "1e-05", "100000", "1e+06". The text must match exactly, because Prometheus compares
 * bounds as text.
 */
export function formatBound(bound: number): string {
  const [digits = '', exponent = ''] = bound.toExponential().split('e')
  const power = Number(exponent)
  if (bound === 0 || (power >= -4 && power < 6)) return String(bound)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
