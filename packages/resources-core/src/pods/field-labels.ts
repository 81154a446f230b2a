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
  // May be asked for, and matches only the empty value.
  'status.podIPs',
  'status.nominatedNodeName',
])

/** The labels of a field selector on pods; `spec.host` is what old clients call the node. */
export function podFieldLabel(label: string): string | undefined {
  if (label === 'spec.host') return 'spec.nodeName'
  return labels.has(label) ? label : undefined
}
