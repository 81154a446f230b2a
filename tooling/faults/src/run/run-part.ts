import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../load/random.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { FinishedPart } from './finished-parts.ts'

export async function runPart(scenario: Scenario, rounds: number, note: (text: string) => void): Promise<FinishedPart> {
  const directory = mkdtempSync(join(tmpdir(), `keelson-${scenario.name}-`))
  const seed = Math.floor(Math.random() * 2 ** 31)
  const began = performance.now()
  try {
    const result = await scenario.run({ rounds, directory, random: createRandom(seed), note })
    return { ...result, seed, seconds: (performance.now() - began) / 1000 }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
