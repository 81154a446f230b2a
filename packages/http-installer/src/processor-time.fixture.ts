/**
 * The least processor time of three runs, in microseconds. Compared with that of a smaller run it tells how work grows, on any
 * machine: neither what other programs do counts nor what the engine compiles at first.
 */
export async function processorTime(run: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let i = 0; i < 3; i++) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
  }
  return least
}
