import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRound, runSeries } from './repeat-tests.ts'
import type { Round } from './repeat-tests.ts'

let directory: string
let lines: string[]
beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-repeat-'))
  lines = []
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const good: Round = { passed: 3, failed: 0, skipped: 1, seconds: 2, failures: [] }
const bad: Round = { passed: 2, failed: 1, skipped: 1, seconds: 2, failures: ['a.test.ts > is flaky'], log: '/tmp/round.log' }

/** Runs a series with the given results. 'interrupt' stops the series in that round. */
function repeatRounds(times: number, rounds: readonly (Round | 'interrupt')[], fresh = false): Promise<number> {
  const remaining = [...rounds]
  return runSeries({
    times,
    fresh,
    stateFile: path.join(directory, 'rounds.json'),
    runRound: async () => {
      const next = remaining.shift()
      if (next === undefined) throw new Error('the series ran more rounds than expected')
      return next === 'interrupt' ? undefined : next
    },
    print: (line) => lines.push(line),
  })
}

describe('a series of rounds', () => {
  test('passes if all rounds pass, and prints a line for each round', async () => {
    expect(await repeatRounds(2, [good, good])).toBe(0)
    expect(lines).toEqual([
      'round 1/2: 3 passed, 0 failed, 1 skipped, 2.0 s',
      'round 2/2: 3 passed, 0 failed, 1 skipped, 2.0 s',
      'all 2 rounds passed',
    ])
  })

  test('continues after a failed round, prints the failed tests, and fails', async () => {
    expect(await repeatRounds(3, [good, bad, good])).toBe(1)
    expect(lines).toContain('  FAIL a.test.ts > is flaky')
    expect(lines).toContain('  log: /tmp/round.log')
    expect(lines.slice(-2)).toEqual(['1 of 3 rounds failed', '  1 × a.test.ts > is flaky'])
  })

  test('resumes after an interruption and keeps earlier failures', async () => {
    expect(await repeatRounds(3, [bad, 'interrupt'])).toBe(130)
    lines = []
    expect(await repeatRounds(3, [good, good])).toBe(1)
    expect(lines[0]).toBe('1 of 3 rounds are already done (--fresh starts from the beginning)')
    expect(lines.at(-2)).toBe('1 of 3 rounds failed')
  })

  test('starts from the beginning with --fresh', async () => {
    expect(await repeatRounds(2, [bad, 'interrupt'])).toBe(130)
    expect(await repeatRounds(2, [good, good], true)).toBe(0)
  })

  test('runs nothing if all rounds are done', async () => {
    expect(await repeatRounds(2, [good, bad])).toBe(1)
    expect(await repeatRounds(2, [])).toBe(1)
  })
})

describe('a round', () => {
  const place = { status: 0, seconds: 1, root: '/r' }
  const tests = [
    { status: 'passed', fullName: 'works' },
    { status: 'failed', fullName: 'is flaky' },
  ]
  const report = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 2, numTodoTests: 0, testResults: [] }

  test('lists failed tests with their file', () => {
    const testResults = [{ name: '/r/packages/a.test.ts', status: 'failed', assertionResults: tests }]
    expect(createRound({ ...report, testResults }, { ...place, status: 1 })).toEqual({
      passed: 1,
      failed: 1,
      skipped: 2,
      seconds: 1,
      failures: ['packages/a.test.ts > is flaky'],
    })
  })

  test('fails if a test file fails to load, if vitest fails, or without a report', () => {
    const testResults = [{ name: '/r/a.test.ts', status: 'failed', assertionResults: [] }]
    expect(createRound({ ...report, testResults }, { ...place, status: 1 }).failures).toEqual(['a.test.ts: failed to load'])
    expect(createRound(report, { ...place, status: 1 }).failures).toEqual(['vitest exited with status 1, but no test failed'])
    expect(createRound(undefined, { ...place, status: 137 }).failures).toEqual(['vitest exited with status 137 and wrote no report'])
  })
})
