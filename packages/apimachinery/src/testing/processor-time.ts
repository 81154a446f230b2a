/** Maximum ratio of processor times when the amount of work is quadrupled. Linear work takes four times as long, quadratic work sixteen times. */
export const fourfold = 10

/**
 * Minimum result of `measureProcessorTime` in microseconds, because shorter times are noise. Choose sizes for which linear work stays far below
 * `fourfold` and quadratic work far above.
 */
const leastMicroseconds = 3_000

const runs = 5

/**
 * Returns the minimum processor time of several runs in microseconds, at least three milliseconds. The ratio of the results for two sizes shows
 * how the work grows. It does not depend on other programs, compilation and garbage collection.
 */
export async function measureProcessorTime(run: () => unknown): Promise<number> {
  let least = Infinity
  for (let i = 0; i < runs; i++) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
  }
  return Math.max(least, leastMicroseconds)
}
