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
