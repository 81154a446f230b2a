/**
 * Compact JSON that is equal for equal objects: metadata first, with the members before `resourceVersion` in their fixed order, everything else
 * sorted by name. For kinds without a schema; a schema has its own order.
 */
export function canonicalJson(object: object): string {
  const { metadata, ...rest } = object as { metadata?: Record<string, unknown> }
  const parts = [`"metadata":${metadataJson(metadata ?? {})}`]
  pushMembers(parts, rest)
  return `{${parts.join(',')}}`
}

function metadataJson(metadata: Record<string, unknown>): string {
  const { name, generateName, namespace, selfLink, uid, ...rest } = metadata
  const parts: string[] = []
  for (const [key, value] of Object.entries({ name: name ?? '', generateName, namespace, selfLink, uid })) {
    if (value !== undefined) parts.push(`"${key}":${sortedJson(value)}`)
  }
  pushMembers(parts, rest)
  return `{${parts.join(',')}}`
}

function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => (item === undefined ? 'null' : sortedJson(item))).join(',')}]`
  const parts: string[] = []
  pushMembers(parts, value as Record<string, unknown>)
  return `{${parts.join(',')}}`
}

function pushMembers(parts: string[], object: Record<string, unknown>): void {
  for (const key of Object.keys(object).sort()) {
    const value = object[key]
    if (value !== undefined) parts.push(`${JSON.stringify(key)}:${sortedJson(value)}`)
  }
}
