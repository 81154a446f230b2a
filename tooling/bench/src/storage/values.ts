import { randomFillSync } from 'node:crypto'

export const valueBytes = 3000
const valueCount = 4096

/**
 * Creates values for the loads, more than fit into the processor's cache. Returns a function from a number to a value. Values must not be
 * modified, because stores keep references to them.
 */
export function createValues(): (n: number) => Buffer {
  const randomBytes = randomFillSync(Buffer.allocUnsafeSlow(valueCount * valueBytes))
  const values = Array.from({ length: valueCount }, (_, i) => randomBytes.subarray(i * valueBytes, (i + 1) * valueBytes))
  return (n) => values[n % valueCount]!
}

export function buildKey(run: number, n: number): string {
  return `/registry/pods/default/run-${run}-${String(n).padStart(8, '0')}`
}
