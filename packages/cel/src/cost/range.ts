/** A range of costs or of sizes. Both bounds saturate at 64 bits, as in cel-go. */
export interface Range {
  readonly min: bigint
  readonly max: bigint
}

export const maximumCost: bigint = 2n ** 64n - 1n
export const unknown: Range = { min: 0n, max: maximumCost }

export function createExactRange(value: bigint): Range {
  return { min: value, max: value }
}

export function sum(...ranges: readonly Range[]): Range {
  return ranges.reduce((a, b) => ({ min: capCost(a.min + b.min), max: capCost(a.max + b.max) }), createExactRange(0n))
}

export function multiplyRanges(a: Range, b: Range): Range {
  return { min: capCost(a.min * b.min), max: capCost(a.max * b.max) }
}

/** Multiplies both bounds, rounded up. */
export function scaleRange({ min, max }: Range, factor: number): Range {
  return { min: scaleValue(min, factor), max: scaleValue(max, factor) }
}

/** Returns the smallest range that covers both. */
export function union(a: Range, b: Range): Range {
  return { min: a.min < b.min ? a.min : b.min, max: a.max > b.max ? a.max : b.max }
}

export function capCost(value: bigint): bigint {
  return value > maximumCost ? maximumCost : value
}

function scaleValue(value: bigint, factor: number): bigint {
  const float = Math.ceil(Number(value) * factor)
  return float >= 2 ** 64 ? maximumCost : BigInt(float)
}
