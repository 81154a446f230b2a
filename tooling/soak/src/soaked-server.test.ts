import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unneededFile } from './reporter.ts'
import { SoakedServer } from './soaked-server.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'keelson-soak-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

async function waitForExit(server: SoakedServer): Promise<void> {
  while (server.running()) await wait(20)
}

test('a later call continues on the running server', { timeout: 120_000 }, async () => {
  expect(await SoakedServer.attach(directory)).toEqual({})
  const server = await SoakedServer.start(directory)
  try {
    const attached = await SoakedServer.attach(directory)
    expect([attached.server?.pid, attached.problem]).toEqual([server.pid, undefined])
  } finally {
    await server.stop()
  }
  expect(await SoakedServer.attach(directory)).toEqual({})
})

test('a later call reports a server that has died', { timeout: 120_000 }, async () => {
  const server = await SoakedServer.start(directory)
  process.kill(server.pid, 'SIGKILL')
  await waitForExit(server)
  expect(await SoakedServer.attach(directory)).toEqual({
    problem: expect.stringContaining('the server of the earlier parts has died') as string,
  })
  writeFileSync(join(directory, unneededFile), '')
  expect(await SoakedServer.attach(directory)).toEqual({})
})

test('a later call reports a server that is not ready', { timeout: 120_000 }, async () => {
  const server = await SoakedServer.start(directory)
  try {
    writeFileSync(join(directory, 'server.json'), JSON.stringify({ pid: server.pid, url: 'https://127.0.0.1:1' }))
    const attached = await SoakedServer.attach(directory)
    expect([attached.server?.pid, attached.problem]).toEqual([server.pid, expect.stringContaining('is not ready')])
  } finally {
    await server.stop()
  }
})

test('a server that nobody needs says that it stops itself', { timeout: 120_000 }, async () => {
  const server = await SoakedServer.start(directory)
  utimesSync(join(directory, 'needed'), 0, 0)
  await waitForExit(server)
  expect(await SoakedServer.attach(directory)).toEqual({})
})
