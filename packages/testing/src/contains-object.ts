/**
 * Returns whether a value has everything that `expected` has. Objects may have more members. Lists need the same length. A value of undefined
 * means that the member is missing.
 */
export function containsObject(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected)
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(expected)) return false
  if (Array.isArray(expected) && expected.length !== (actual as unknown[]).length) return false
  return Object.entries(expected).every(([key, value]) => containsObject((actual as Record<string, unknown>)[key], value))
}
