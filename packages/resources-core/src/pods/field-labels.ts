const labels: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  // Accepted, but matches only the empty value.
  'status.podIPs',
  'status.nominatedNodeName',
])

/** Returns the canonical field label for pods; undefined if unsupported. `spec.host` is a legacy name of `spec.nodeName`. */
export function podFieldLabel(label: string): string | undefined {
  if (label === 'spec.host') return 'spec.nodeName'
  return labels.has(label) ? label : undefined
}
