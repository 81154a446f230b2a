/** What is done to four times as much takes less than so many times as long; what grows with the square takes sixteen times. */
export const fourfold = 10

/** What takes less is noise. */
const leastMicroseconds = 1_000

/**
 * The least processor time of three runs, in microseconds, and never less than a millisecond. Compared with that of a smaller run it tells
 * how work grows, on any machine: neither what other programs do counts nor what the engine compiles at first.
 */
export async function processorTime(run: () => unknown): Promise<number> {
  let least = Infinity
  for (let i = 0; i < 3; i++) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
  }
  return Math.max(least, leastMicroseconds)
}
