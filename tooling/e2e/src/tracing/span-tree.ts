import type { ReceivedSpan } from './collector-process.ts'

/** Attributes whose values differ between runs. */
const volatile = /^(audit-id|UID|network\.peer\.port|server\.port|url\.full|http\.(request|response)\.body\.size)$/
/** Attributes whose values differ between the programs: kube-apiserver has the settings of its encoder in Go. */
const internal: ReadonlySet<string> = new Set(['encoder'])

/**
 * Formats the spans below a parent as an indented tree: kind, name, attributes without volatile values, and events. Siblings are sorted by
 * name.
 */
export function formatSpanTree(spans: readonly ReceivedSpan[], parentId: string, indent = ''): string {
  return spans
    .filter((span) => span.parentId === parentId)
    .map((span) => `${formatSpan(span, indent)}${formatSpanTree(spans, span.id, `${indent}  `)}`)
    .toSorted()
    .join('')
}

function formatSpan({ kind, name, attributes, events }: ReceivedSpan, indent: string): string {
  const values = Object.entries(attributes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => (volatile.test(key) || internal.has(key) ? key : `${key}=${value}`))
  const steps = events.map((event) => `${indent}  - ${event}\n`).join('')
  return `${indent}${kind === 'Internal' ? '' : `${kind}: `}${name}${values.length === 0 ? '' : ` {${values.join(', ')}}`}\n${steps}`
}
