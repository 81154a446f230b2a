/** Maximum ratio of the times for four times the work. Quadratic work takes sixteen times as long. */
export const fourfold = 10

/**
 * Minimum time, because shorter times are noise. Choose sizes so that the ratio stays far below ten for linear work, and far above for
 * quadratic work.
 */
const leastMicroseconds = 3_000

const runs = 5

/**
 * Returns the minimum processor time of several runs in microseconds, at least three milliseconds. The ratio of two sizes shows how work
 * grows, independent of other programs, compilation and garbage collection.
 */
export async function processorTime(run: () => unknown): Promise<number> {
  let least = Infinity
  for (let i = 0; i < runs; i++) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
  }
  return Math.max(least, leastMicroseconds)
}
