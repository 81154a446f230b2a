/** What is done to four times as much takes less than so many times as long; what grows with the square takes sixteen times. */
export const fourfold = 10

/** Less is noise. */
const leastMicroseconds = 2_000

/** Short runs are repeated more often: in most of them no garbage of earlier work is collected. */
const runs = { least: 3, most: 15, enoughMicroseconds: 100_000 }

/**
 * The least processor time of several runs, in microseconds, and never less than two milliseconds. Compared with that of a smaller run it tells
 * how work grows, on any machine: neither other programs count, nor what the engine compiles at first, nor collections of garbage.
 */
export async function processorTime(run: () => unknown): Promise<number> {
  let least = Infinity
  let total = 0
  for (let i = 0; i < runs.least || (i < runs.most && total < runs.enoughMicroseconds); i++) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
    total += user + system
  }
  return Math.max(least, leastMicroseconds)
}
