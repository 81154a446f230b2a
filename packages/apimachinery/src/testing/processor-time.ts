/** What is done to four times as much takes less than so many times as long; what grows with the square takes sixteen times. */
export const fourfold = 10

/** Less is noise. Sizes are chosen so that linear work stays far below ten times as much, and quadratic work far above. */
const leastMicroseconds = 3_000

const runs = 5

/**
 * The least processor time of some runs, in microseconds, and never less than three milliseconds. Compared with that of a smaller run it tells
 * how work grows, on any machine: neither other programs count, nor what the engine compiles at first, nor collections of garbage.
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
