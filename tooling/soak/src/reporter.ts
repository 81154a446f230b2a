import { join } from 'node:path'

/** A time in which the event loop of the server did not run. */
export interface Gap {
  /** End of the gap in milliseconds since 1970. */
  readonly at: number
  readonly milliseconds: number
}

/** Shortest reported gap in milliseconds. */
export const shortestGap = 20
const tickMs = 5
const neededForMs = 15 * 60_000
/** Name of the file that says that the server has stopped itself. */
export const unneededFile = 'unneeded'

/**
 * Returns the source of a module that the server loads first. It appends the gaps of the event loop to the file `gaps`. The time in which the
 * thread waited for a processor does not count, because other processes cause it. On SIGUSR2 it collects garbage and writes the used heap to the file
 * `used-heap`. It stops the server when the file `needed` has not been touched for 15 minutes, and says so in the file `unneeded`.
 */
export function createReporter(directory: string): string {
  const locateFile = (name: string): string => JSON.stringify(join(directory, name))
  return `
    import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
    const schedstat = '/proc/self/task/' + process.pid + '/schedstat'
    const readWaited = () => {
      try { return Number(readFileSync(schedstat, 'latin1').split(' ')[1]) / 1e6 } catch { return 0 }
    }
    let last = performance.now()
    let waited = readWaited()
    setInterval(() => {
      const now = performance.now()
      const waitedNow = readWaited()
      const milliseconds = now - last - ${tickMs} - (waitedNow - waited)
      last = now
      waited = waitedNow
      if (milliseconds >= ${shortestGap}) appendFileSync(${locateFile('gaps')}, JSON.stringify({ at: Date.now(), milliseconds }) + '\\n')
    }, ${tickMs}).unref()
    setInterval(() => {
      if (Date.now() - statSync(${locateFile('needed')}).mtimeMs <= ${neededForMs}) return
      writeFileSync(${locateFile(unneededFile)}, '')
      process.kill(process.pid, 'SIGTERM')
    }, 5000).unref()
    process.on('SIGUSR2', async () => {
      gc()
      await new Promise((resolve) => setTimeout(resolve, 100))
      gc()
      writeFileSync(${locateFile('used-heap.new')}, String(process.memoryUsage().heapUsed))
      renameSync(${locateFile('used-heap.new')}, ${locateFile('used-heap')})
    })`
}
