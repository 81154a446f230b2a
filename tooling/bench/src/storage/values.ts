import { randomFillSync } from 'node:crypto'

export const valueBytes = 3000
const kept = 4096

/** Creates values in advance; more than the processor's cache holds. Stores keep references, so values must not be modified. */
export function createValues(): (n: number) => Buffer {
  const all = randomFillSync(Buffer.allocUnsafeSlow(kept * valueBytes))
  const values = Array.from({ length: kept }, (_, i) => all.subarray(i * valueBytes, (i + 1) * valueBytes))
  return (n) => values[n % kept]!
}

export function buildKey(run: number, n: number): string {
  return `/registry/pods/default/run-${run}-${String(n).padStart(8, '0')}`
}
