import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MeasuredServer } from './definitions/measured-server.ts'
import type { Bomb } from './definitions/schema-bombs.ts'
import { HostileClient } from './http/hostile-client.ts'
import { startServer } from './http/server-process.ts'
import type { ValueCase } from './http/value-cases.ts'
import { createRandom } from './load/random.ts'
import { runPart } from './run/run-part.ts'
import { endLog, runStalledDisk } from './scenarios/audit-faults.ts'
import type { AuditRound } from './scenarios/audit-faults.ts'
import { EarlyDisk, runDisk } from './scenarios/disk-faults.ts'
import { sendBombs } from './scenarios/hostile-definitions.ts'
import { runCases } from './scenarios/hostile-values.ts'
import { scenarios } from './scenarios/index.ts'
import { newResult } from './scenarios/scenario.ts'

describe('fault scenarios with few rounds', () => {
  for (const scenario of scenarios) {
    if (scenario.shortRounds === 0) continue
    it(`passes the scenario ${scenario.name}: ${scenario.about}`, { timeout: 120_000 }, async ({ skip }) => {
      const reason = await scenario.explainUnavailable?.()
      if (reason !== undefined) skip(reason)
      const result = await runPart(scenario, scenario.shortRounds, () => undefined)
      expect(result.violations).toEqual([])
      expect(result.rounds).toBe(scenario.shortRounds)
    })
  }
})

it('detects a store that acknowledges writes before its flush', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-hasty-'))
  try {
    const { counts } = await runDisk(EarlyDisk, 2, directory, createRandom(1))
    expect([...counts.keys()]).toContain('acknowledged-writes-survive')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  // A long timeout, because the checker tries all orders if none explains the history.
}, 120_000)

it('detects a server that one value blocks', { timeout: 120_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-slow-'))
  const slow = `const { includes } = String.prototype; const { parse } = JSON
    JSON.parse = (text, ...rest) => {
      if (text.length < 40 && includes.call(text, 'planted')) { const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 300_000); }
      return parse(text, ...rest)
    }`
  try {
    await using server = await startServer(directory, [], { nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(slow)}`] })
    using client = new HostileClient(server.port, server.token)
    const result = newResult()
    const createNamedCase = (name: string): ValueCase => ({
      about: name,
      request: async () => ({
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps?dryRun=All',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ metadata: { name } })),
      }),
    })
    await runCases(server, client, [createNamedCase('a'), createNamedCase('planted'), createNamedCase('b')], result)
    expect(result.operations).toBe(3)
    expect(result.violations.map(({ message }) => message)).toEqual([expect.stringMatching(/^planted: other clients waited for \d+ ms/)])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

it('detects a definition that blocks the server', { timeout: 120_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-slow-'))
  const slow = `const { sort } = Array.prototype
    Array.prototype.sort = function (...rest) {
      if (this.includes('planted')) { const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 300_000); }
      return sort.apply(this, rest)
    }`
  try {
    const result = newResult()
    await using measured = await MeasuredServer.start(directory, result, ['--import', `data:text/javascript,${encodeURIComponent(slow)}`])
    const createBomb = (name: string): Bomb => ({
      name,
      spec: () => ({ type: 'object', properties: { [name]: { type: 'string' } } }),
      objects: () => [{ [name]: 'x' }],
    })
    await sendBombs(measured, [createBomb('harmless'), createBomb('planted')])
    expect(result.operations).toBe(6)
    const messages = result.violations.map(({ message }) => message)
    expect(messages.length).toBeGreaterThan(0)
    for (const message of messages) expect(message).toMatch(/^(definition|object 0 of|removal of) planted: a read took \d+ ms/)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

/** Runs a round of audit faults on a server that loads a module with a planted bug. Returns what it found. */
async function runAuditPlanted(source: string, run: (round: AuditRound) => Promise<void>): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-audit-'))
  const result = newResult()
  try {
    const nodeFlags = ['--import', `data:text/javascript,${encodeURIComponent(source)}`]
    await run({ name: 'planted', directory, random: createRandom(1), number: 0, result, nodeFlags })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return result.violations.map(({ message }) => message)
}

it('detects an audit log that loses events', { timeout: 120_000 }, async () => {
  const forgetful = `import { open } from 'node:fs/promises'
    const handle = await open('/dev/null')
    const prototype = Object.getPrototypeOf(handle)
    const { write } = prototype
    let writes = 0
    prototype.write = function (bytes, offset = 0) {
      return ++writes % 7 === 0 ? Promise.resolve({ bytesWritten: bytes.length - offset }) : write.call(this, bytes, offset)
    }
    await handle.close()`
  const found = await runAuditPlanted(forgetful, (round) => endLog(round, { mode: 'blocking-strict', ending: 'stop' }))
  expect(found).toContainEqual(expect.stringMatching(/the event of its (?:response|arrival) is lost/))
})

it('detects that the memory grows while the audit log hangs', { timeout: 120_000 }, async () => {
  const leaking = `const { parse } = JSON
    const kept = []
    JSON.parse = (text, ...rest) => {
      if (text.length > 500_000) kept.push(Buffer.from(text + text))
      return parse(text, ...rest)
    }`
  const found = await runAuditPlanted(leaking, runStalledDisk)
  expect(found).toContainEqual(expect.stringMatching(/: the waiting events took \d+ MB/))
})
