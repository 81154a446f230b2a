/** A deep copy of JSON; faster than structuredClone, which has to expect everything. */
export function copyObject<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyObject) as T
  const copy: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    // A plain assignment of this one name would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: copyObject(member), writable: true, enumerable: true, configurable: true })
    else copy[key] = copyObject(member)
  }
  return copy as T
}
