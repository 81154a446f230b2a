/** A whole number from 0 up to but not including `below`. */
export type Random = (below: number) => number

/**
 * How many numbers of a range, from its first, are left for those who ask for one by number as long as others are free: a part of the whole,
 * within limits; none of it for small ranges.
 */
export function bandOf(
  size: number,
  { least, most, part }: { readonly least: number; readonly most: number; readonly part: number },
): number {
  return size <= least ? 0 : Math.min(most, Math.max(least, Math.floor(size / part)))
}

/** The order in which to try the numbers 0 … size-1: those above the band first, each part from a random place on, round once. */
export function* searchOrder(size: number, band: number, random: Random): Generator<number> {
  yield* roundFrom(band, size, random)
  yield* roundFrom(0, band, random)
}

function* roundFrom(from: number, to: number, random: Random): Generator<number> {
  const size = to - from
  if (size <= 0) return
  const start = random(size)
  for (let i = 0; i < size; i++) yield from + ((start + i) % size)
}
