import { yieldToOthers } from './yield-to-others.ts'

const lookedBetweenClocks = 64
const sliceMilliseconds = 4

/** Visits each until a visit says `false`, in slices that let others run. `between` is called after each of those, and may throw. */
export async function walkInSlices<V>(values: Iterable<V>, visit: (value: V) => boolean | void, between?: () => void): Promise<void> {
  let looked = 0
  let sliceEnd = performance.now() + sliceMilliseconds
  for (const value of values) {
    if (visit(value) === false) return
    if (++looked % lookedBetweenClocks !== 0 || performance.now() < sliceEnd) continue
    await yieldToOthers()
    between?.()
    sliceEnd = performance.now() + sliceMilliseconds
  }
}
