import { randomFillSync } from 'node:crypto'

export const valueBytes = 3000
const kept = 4096

/** Ready before anything is measured, and more of them than a processor's cache holds. Stores keep them: nobody writes to one. */
export function createValues(): (n: number) => Buffer {
  const all = randomFillSync(Buffer.allocUnsafeSlow(kept * valueBytes))
  const values = Array.from({ length: kept }, (_, i) => all.subarray(i * valueBytes, (i + 1) * valueBytes))
  return (n) => values[n % kept]!
}

export function keyOf(run: number, n: number): string {
  return `/registry/pods/default/run-${run}-${String(n).padStart(8, '0')}`
}
