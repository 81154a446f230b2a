import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bounds } from './bounds-child.ts'
import { fail, newResult, type Scenario, type ScenarioContext, type ScenarioResult } from './scenario.ts'

const megabyte = 2 ** 20
/** Size in bytes of the history that `openEmbedded` keeps by default. */
const defaultHistoryBytes = 256 * megabyte

async function measure(...args: readonly string[]): Promise<Bounds> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'bounds-child.ts'), ...args], {
    maxBuffer: megabyte,
  })
  return JSON.parse(stdout) as Bounds
}

function createBoundsScenario(
  name: string,
  about: string,
  run: (context: ScenarioContext, result: ScenarioResult) => Promise<void>,
): Scenario {
  return {
    name,
    about,
    rounds: 1,
    roundsPerPart: 1,
    shortRounds: 0,
    async run(context) {
      const result = newResult()
      await run(context, result)
      result.rounds = 1
      return result
    },
  }
}

export const boundsUpdates: Scenario = createBoundsScenario(
  'bounds-updates',
  '1,000,000 updates of 1,000 keys of 3 KB: file and memory stay bounded',
  async ({ directory }, result) => {
    const { milliseconds, rssAnon, size } = await measure('update', directory, '1000000')
    const allowed = 3 * (1000 * 3000 + defaultHistoryBytes) + 64 * megabyte
    const second = rssAnon.slice(rssAnon.length / 2)
    const [early, late] = [second.slice(0, second.length / 2), second.slice(second.length / 2)].map((part) => Math.max(...part)) as [
      number,
      number,
    ]
    const growth = late - early
    result.operations = 1_000_000
    result.notes.push(
      `${Math.round(1e9 / milliseconds)} updates/s; file ${formatMegabytes(size)} of ${formatMegabytes(allowed)}; RssAnon at most ${formatMegabytes(early)} in the third quarter, ${formatMegabytes(late)} in the last`,
    )
    if (size > allowed) fail(result, `the file has ${formatMegabytes(size)}, more than ${formatMegabytes(allowed)}`)
    if (growth > 0.05 * early) fail(result, `RssAnon grew by ${formatMegabytes(growth)} over the second half`)
  },
)

export const boundsLarge: Scenario = createBoundsScenario(
  'bounds-large',
  '100,000 objects of 8 KB: fork at most 10 ms, reopened within 2 s',
  async ({ directory, note }, result) => {
    await measure('fill', directory, '100000')
    note('filled')
    const fork = await measure('fork', directory, '')
    const opened: number[] = []
    for (let i = 0; i < 3; i++) {
      const { milliseconds, count } = await measure('open', directory, '')
      if (count !== 100_000) fail(result, `${count} objects were read back`)
      opened.push(milliseconds)
    }
    await measure('die', directory, '').catch(() => undefined)
    const afterKill = await measure('open', directory, '')
    result.operations = 100_000
    const best = Math.min(...opened)
    result.notes.push(
      `fork and its first write ${fork.milliseconds.toFixed(2)} ms; opened in ${opened.map((ms) => ms.toFixed(0)).join(', ')} ms, after SIGKILL in ${afterKill.milliseconds.toFixed(0)} ms`,
    )
    if (fork.milliseconds > 10) fail(result, `a fork takes ${fork.milliseconds} ms`)
    if (best > 2000) fail(result, `opening takes ${best} ms`)
    rmSync(directory, { recursive: true, force: true })
  },
)

function formatMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(0)} MB`
}
