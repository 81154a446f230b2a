import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runPart } from './run-part.ts'
import type { PartResult } from './run-part.ts'
import { SoakedServer } from './soaked-server.ts'

/** Runs a few seconds of the load on a new server. */
async function runShortPart(nodeFlags: readonly string[] = []): Promise<PartResult> {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-soak-'))
  const server = await SoakedServer.start(directory, { nodeFlags })
  try {
    return await runPart(server, { seconds: 4, rate: 0.5, watchesPerKind: 4, comparesObjects: false })
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Returns the Node flags that run code before the server starts. */
function createPreloadFlags(source: string): readonly string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`]
}

test('the counts of clients equal the metrics after some seconds of load', { timeout: 300_000 }, async () => {
  const result = await runShortPart()
  expect(result.problems).toEqual([])
  expect(result.requests).toBeGreaterThan(100)
  expect(result.events).toBeGreaterThan(100)
  expect(result.heap).toBeGreaterThan(0)
})

test('detects a server that blocks its thread', { timeout: 300_000 }, async () => {
  const block = `setInterval(() => { const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 70_000); }, 2000).unref()`
  const { longestGap } = await runShortPart(createPreloadFlags(block))
  expect(longestGap).toBeGreaterThan(50)
})
