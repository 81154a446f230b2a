/** A deep copy of JSON; faster than structuredClone, which has to expect everything. */
export function copyObject<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => copyObject(item)) as T
  const copy: Record<string, unknown> = {}
  const members = value as Record<string, unknown>
  for (const key in members) {
    const member = copyObject(members[key])
    // A plain assignment of this one name would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, writable: true, enumerable: true, configurable: true })
    else copy[key] = member
  }
  return copy as T
}
