/** Creates a generator of random numbers from 0 to 1. The same seed gives the same numbers. */
export function createRandom(seed: number): () => number {
  let x = seed | 0
  return () => {
    x = (x + 0x6d2b79f5) | 0
    let t = Math.imul(x ^ (x >>> 15), x | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
