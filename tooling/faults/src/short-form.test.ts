import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRandom } from './load/random.ts'
import { runPart } from './run/run-part.ts'
import { HastyDisk, runDisk } from './scenarios/disk-faults.ts'
import { scenarios } from './scenarios/index.ts'

describe('faults, in short', () => {
  for (const scenario of scenarios) {
    if (scenario.shortRounds === 0) continue
    it(`${scenario.name}: ${scenario.about}`, { timeout: 60_000 }, async ({ skip }) => {
      const reason = await scenario.unavailable?.()
      if (reason !== undefined) skip(reason)
      const result = await runPart(scenario, scenario.shortRounds, () => undefined)
      expect(result.violations).toEqual([])
      expect(result.rounds).toBe(scenario.shortRounds)
    })
  }
})

it('a store that answers before its flush is caught', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-hasty-'))
  try {
    const { counts } = await runDisk(HastyDisk, 2, directory, createRandom(1))
    expect([...counts.keys()]).toContain('acknowledged-writes-survive')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  // A history that no order explains is searched to the end.
}, 120_000)
