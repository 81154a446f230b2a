import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LineBuffer } from './line-buffer.ts'
import { openLogFile } from './log-file.ts'
import type { LogFileOptions } from './log-file.ts'

let directory: string
let now: number
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-audit-'))
  now = Date.parse('2026-01-02T03:04:05Z')
})
afterEach(() => rm(directory, { recursive: true }))

const open = (options: Partial<LogFileOptions> = {}) =>
  openLogFile({
    path: path.join(directory, 'logs', 'audit.log'),
    maxBytes: 20,
    maxBackups: 0,
    maxAgeDays: 0,
    isCompressed: false,
    clock: { now: () => now, after: () => () => {} },
    ...options,
  })
/** Returns lines as bytes and their ends. */
function toLines(...texts: readonly string[]): [Buffer, readonly number[]] {
  const buffer = new LineBuffer()
  for (const text of texts) buffer.add(`${text}\n`)
  return [buffer.bytes, buffer.ends]
}
const listFiles = async (): Promise<string[]> => (await readdir(path.join(directory, 'logs'))).toSorted()
const read = (name: string): Promise<string> => readFile(path.join(directory, 'logs', name), 'utf8')

it('is private, and rotates before it becomes too large', async () => {
  const file = await open()
  expect((await file.write(...toLines('first 8', 'second 8', 'third 8'))).size).toBe(0)
  await file.close()
  expect(await listFiles()).toEqual(['audit-2026-01-02T03-04-05.000.log', 'audit.log'])
  expect(await read('audit-2026-01-02T03-04-05.000.log')).toBe('first 8\nsecond 8\n')
  expect(await read('audit.log')).toBe('third 8\n')
  expect((await stat(path.join(directory, 'logs/audit.log'))).mode & 0o777).toBe(0o600)
})

it('continues an existing file', async () => {
  await (async () => {
    const file = await open()
    await file.write(...toLines('0123456789'))
    await file.close()
  })()
  const file = await open()
  await file.write(...toLines('0123456789'))
  await file.close()
  expect((await listFiles()).length).toBe(2)
})

it('keeps only some rotated files, and compresses them', async () => {
  const file = await open({ maxBackups: 2, isCompressed: true })
  for (let i = 0; i < 5; i++) {
    await file.write(...toLines(`0123456789-${i}`))
    now += 1000
  }
  await file.close()
  const names = await listFiles()
  expect(names.length).toBe(3)
  expect(names.filter((name) => name.endsWith('.log.gz')).length).toBe(2)
  const newest = await readFile(path.join(directory, 'logs', names.at(-2)!))
  expect(gunzipSync(newest).toString()).toBe('0123456789-3\n')
})

it('removes files by their age, and no others', async () => {
  const file = await open({ maxAgeDays: 1 })
  await file.write(...toLines('0123456789-0'))
  await file.write(...toLines('0123456789-1'))
  now += 2 * 86_400_000
  await file.write(...toLines('0123456789-2'))
  await file.close()
  expect(await listFiles()).toEqual(['audit-2026-01-04T03-04-05.000.log', 'audit.log'])
})

it('reports a line that no file can hold, and writes the others', async () => {
  const file = await open()
  const failures = await file.write(...toLines('a', 'x'.repeat(30), 'b'))
  await file.close()
  expect([...failures].map(([i, error]) => [i, error.message])).toEqual([[1, 'write length 31 exceeds maximum file size 20']])
  expect(await read('audit.log')).toBe('a\nb\n')
})

it('reports lines that a full disk does not take', async (context) => {
  if (process.platform !== 'linux') return context.skip()
  // Writes to this device always fail because there is no space.
  const file = await open({ path: '/dev/full', maxBytes: 0 })
  const failures = await file.write(...toLines('a', 'b'))
  await file.close()
  expect([...failures.values()].map(({ message }) => message)).toEqual([
    'ENOSPC: no space left on device, write',
    'ENOSPC: no space left on device, write',
  ])
})
