/** Returns a random integer from 0 up to, but not including, `below`. */
export type Random = (below: number) => number

/**
 * Returns the size of the static band: the first numbers of a range, which dynamic allocation uses last. The result is 0 for small ranges.
 */
export function computeStaticBandSize(
  size: number,
  { min, max, divisor }: { readonly min: number; readonly max: number; readonly divisor: number },
): number {
  return size <= min ? 0 : Math.min(max, Math.max(min, Math.floor(size / divisor)))
}

/**
 * Yields the numbers 0 to size-1 in the order in which dynamic allocation tries them. The numbers above the static band come before those
 * in the band. Both groups start at a random offset.
 */
export function* searchOrder(size: number, band: number, random: Random): Generator<number> {
  yield* cycleFrom(band, size, random)
  yield* cycleFrom(0, band, random)
}

function* cycleFrom(from: number, to: number, random: Random): Generator<number> {
  const size = to - from
  if (size <= 0) return
  const start = random(size)
  for (let i = 0; i < size; i++) yield from + ((start + i) % size)
}
