import { describe, expect, it } from 'vitest'
import { fourfold, measureProcessorTime } from '../testing/index.ts'
import { createFieldSet, listPaths } from './field-set.ts'
import { capUpdateManagers, createIdentity, formatIdentity, maxUpdateManagers } from './managed.ts'
import type { Managed } from './managed.ts'

interface Updater {
  readonly manager?: string
  readonly apiVersion?: string
  readonly time?: string
}

/** Creates managers with one field each, from the oldest to the newest. */
function createManaged(updaters: readonly Updater[]): Managed {
  const managed: Managed = new Map()
  for (const [i, { manager = `m${i}`, apiVersion = 'v1', time = formatTime(i) }] of updaters.entries()) {
    const identity = createIdentity(manager, 'Update', apiVersion, '')
    managed.set(formatIdentity(identity), { identity, apiVersion, applied: false, set: createFieldSet(`data.k${i}`), time })
  }
  return managed
}

function formatTime(i: number): string {
  return new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString()
}

function summarizeManaged(managed: Managed): (readonly [string, string, number, string | undefined])[] {
  return [...managed.values()]
    .toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? -1 : 1))
    .map(({ identity, apiVersion, set, time }) => [identity.manager, apiVersion, listPaths(set).length, time])
}

describe('capUpdateManagers', () => {
  it('keeps all managers if there are not too many', () => {
    const managed = createManaged(Array.from({ length: maxUpdateManagers }, () => ({})))
    const before = [...managed]
    capUpdateManagers(managed)
    expect([...managed]).toEqual(before)
  })

  it('merges the oldest updaters of each version into one entry with the newest of their times', () => {
    const managed = createManaged(Array.from({ length: 14 }, (_, i) => ({ apiVersion: i % 2 === 0 ? 'v1' : 'v2' })))
    capUpdateManagers(managed)
    expect(summarizeManaged(managed).slice(0, 3)).toEqual([
      ['ancient-changes', 'v1', 3, formatTime(4)],
      ['ancient-changes', 'v2', 3, formatTime(5)],
      ['m6', 'v1', 1, formatTime(6)],
    ])
    expect(managed.size).toBe(maxUpdateManagers)
  })

  it.each([0, 1, 2, 11])('adds the oldest updaters to an existing ancient-changes entry, even if that entry is the %s by age', (at) => {
    const managed = createManaged(Array.from({ length: 12 }, (_, i) => (i === at ? { manager: 'ancient-changes' } : {})))
    capUpdateManagers(managed)
    expect(summarizeManaged(managed).filter(([name]) => name === 'ancient-changes')).toHaveLength(1)
    expect(summarizeManaged(managed).reduce((sum, [, , count]) => sum + count, 0)).toBe(12)
  })

  it('merges many managers in less than quadratic time', async () => {
    const run = (count: number): Promise<number> => {
      const updaters = Array.from({ length: count }, () => ({}))
      return measureProcessorTime(() => capUpdateManagers(createManaged(updaters)))
    }
    const few = await run(2_500)
    expect(await run(10_000)).toBeLessThan(fourfold * few)
  })
})
