import { randomFillSync } from 'node:crypto'

export const valueBytes = 3000
const valueCount = 4096

/** Creates more values than fit into the processor's cache. Stores keep references to the values, so do not modify them. */
export function createValues(): (n: number) => Buffer {
  const all = randomFillSync(Buffer.allocUnsafeSlow(valueCount * valueBytes))
  const values = Array.from({ length: valueCount }, (_, i) => all.subarray(i * valueBytes, (i + 1) * valueBytes))
  return (n) => values[n % valueCount]!
}

export function buildKey(run: number, n: number): string {
  return `/registry/pods/default/run-${run}-${String(n).padStart(8, '0')}`
}
