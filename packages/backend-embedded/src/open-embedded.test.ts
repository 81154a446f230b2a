import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPrefixRange } from '@keelson/storagebackend'
import { createManualClock } from '@keelson/apimachinery/testing'
import { open } from 'lmdb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LockedError, openEmbedded, type EmbeddedBackend } from './index.ts'
import { LmdbDurability } from './lmdb-durability.ts'
import { openDurable } from './open-embedded.ts'

/** Whether the test can create PID namespaces, which needs Linux and the permission. If not, the test is skipped. */
const mayUnshare = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0

let dataDir = ''
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'keelson-open-')), 'data.d')
})
afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }))

const openRaw = (): ReturnType<typeof open<Uint8Array, Uint8Array>> =>
  open<Uint8Array, Uint8Array>({
    path: dataDir,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: 3,
    overlappingSync: false,
  })

/** Returns the number of bytes of the data file that are in this process's memory. */
function measureMappedBytes(): number {
  const maps = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
  const storeMaps = maps.filter((map) => map.slice(0, map.indexOf('\n')).includes(join(dataDir, 'data.mdb')))
  return storeMaps.reduce((sum, map) => sum + Number(/^Rss:\s+(\d+)/m.exec(map)![1]), 0) * 1024
}

describe('a store that is opened again', () => {
  it.skipIf(process.platform !== 'linux')('unmaps the pages that it read at the start, and still accepts writes', async () => {
    const keys = Array.from({ length: 320 }, (_, i) => `/k${i}`)
    {
      await using backend = await openEmbedded({ dataDir })
      const operations = keys.map((key, i) => ({ type: 'put', key, value: Buffer.alloc(64 * 1024, i) }) as const)
      await backend.commit({ compare: [], operations })
    }
    {
      await using backend = await openEmbedded({ dataDir })
      expect(measureMappedBytes()).toBeLessThan(4 * 2 ** 20)
      await expect(openEmbedded({ dataDir })).rejects.toBeInstanceOf(LockedError)
      await backend.commit({ compare: [], operations: [{ type: 'put', key: '/k0', value: Buffer.from('changed') }] })
    }
    await using backend = await openEmbedded({ dataDir })
    const { entries } = await backend.list(createPrefixRange('/'))
    expect(entries).toHaveLength(keys.length)
    expect(Buffer.from((await backend.get('/k0')).entry!.value).toString()).toBe('changed')
  })

  it('a store that is opened again has the same contents, and continues at the same revision', async () => {
    const keys = Array.from({ length: 500 }, (_, i) => `/k${i}-\u{1f600}`)
    let revision = 0
    {
      await using backend = await openEmbedded({ dataDir })
      const puts = keys.map((key, i) => backend.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.alloc(i * 40, i) }] }))
      await Promise.all(puts)
      ;({ revision } = await backend.commit({ compare: [], operations: [{ type: 'delete', key: keys[3]! }] }))
    }
    await using backend = await openEmbedded({ dataDir })
    const { entries, revision: now } = await backend.list(createPrefixRange('/'))
    expect(now).toBe(revision)
    expect(entries).toHaveLength(499)
    for (const [i, key] of keys.entries()) {
      const { entry } = await backend.get(key)
      if (i === 3) expect(entry).toBeUndefined()
      else expect([entry?.modRevision, Buffer.compare(entry!.value, Buffer.alloc(i * 40, i))]).toEqual([i + 2, 0])
    }
    const { signal } = new AbortController()
    const compactedWatch = backend.watch(createPrefixRange('/'), revision - 1, { signal })[Symbol.asyncIterator]()
    await expect(compactedWatch.next()).rejects.toThrow(/compacted/)
    const nextCommit = await backend.commit({
      compare: [{ key: keys[3]!, modRevision: 0 }],
      operations: [{ type: 'put', key: keys[3]!, value: Buffer.from('x') }],
    })
    expect(nextCommit).toEqual({ committed: true, revision: revision + 1 })
  })

  it('a store that is opened again has the same leases', async () => {
    const clock = createManualClock()
    {
      await using backend = await openEmbedded({ dataDir, clock })
      const lease = await backend.grantLease(60)
      await backend.commit({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('v'), lease }] })
    }
    {
      await using backend = await openEmbedded({ dataDir, clock })
      clock.advance(59_000)
      expect((await backend.get('/a')).entry).toBeDefined()
      const abort = new AbortController()
      const expiryMessage = backend.watch(createPrefixRange('/'), 2, { signal: abort.signal })[Symbol.asyncIterator]().next()
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(1001)
      expect((await expiryMessage).value).toMatchObject({ changes: [{ type: 'delete', key: '/a' }] })
      abort.abort()
    }
    clock.advance(60_000)
    await using backend = await openEmbedded({ dataDir, clock })
    expect((await backend.list(createPrefixRange('/'))).count).toBe(0)
  })
})

it('can be opened by one store at a time', async () => {
  const first = await openEmbedded({ dataDir })
  const error = await openEmbedded({ dataDir }).catch((e: unknown) => e)
  expect(error).toBeInstanceOf(LockedError)
  expect((error as LockedError).pid).toBe(process.pid)
  expect(String(error)).toContain(`pid ${process.pid}`)
  await first[Symbol.asyncDispose]()
  await (await openEmbedded({ dataDir }))[Symbol.asyncDispose]()
})

describe('while another process has the store open', () => {
  /**
   * Opens the store in a separate process, and resolves when the store is open. A command in `wrapper` may run the process in another PID
   * namespace.
   */
  async function holdElsewhere(...wrapper: readonly string[]): Promise<ChildProcess> {
    const index = fileURLToPath(new URL('index.ts', import.meta.url))
    const script = `
      import { openEmbedded } from ${JSON.stringify(index)}
      globalThis.store = await openEmbedded({ dataDir: ${JSON.stringify(dataDir)} })
      await store.commit({ compare: [], operations: [{ type: 'put', key: '/theirs', value: Buffer.from('v') }] })
      console.log('open')
      setInterval(() => undefined, 60_000)`
    const [command, ...args] = [...wrapper, process.execPath, '--input-type=module', '-e', script]
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`the other process ended with ${code}`))),
    ])
    return child
  }
  const kill = async (child: ChildProcess): Promise<void> => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  it('throws LockedError with the pid at once, and opens after that process was killed', async () => {
    const child = await holdElsewhere()
    try {
      await expect(openEmbedded({ dataDir })).rejects.toMatchObject({
        name: 'LockedError',
        pid: child.pid,
        message: `${dataDir} is in use by the process with pid ${child.pid}; only one process at a time can open it`,
      })
    } finally {
      await kill(child)
    }
    await using backend = await openEmbedded({ dataDir })
    expect((await backend.get('/theirs')).entry).toBeDefined()
  })

  it.skipIf(!mayUnshare)('throws LockedError also in another PID namespace, as with two containers that share a volume', async () => {
    const child = await holdElsewhere('unshare', '--pid', '--fork', '--mount-proc', '--kill-child')
    try {
      await expect(openEmbedded({ dataDir })).rejects.toMatchObject({
        name: 'LockedError',
        pid: undefined,
        message: expect.stringContaining(`${dataDir} is in use by a process of another container or host`),
      })
    } finally {
      await kill(child)
    }
  })

  it('does not name a process that no longer has the store open', async () => {
    const child = await holdElsewhere()
    try {
      const file = join(dataDir, 'store.json')
      const owner = JSON.parse(readFileSync(file, 'utf8')) as object
      for (const otherOwner of [{ ...owner, pid: process.pid }, { ...owner, pid: 2 ** 30 }, {}, null]) {
        writeFileSync(file, JSON.stringify(otherOwner))
        await expect(openEmbedded({ dataDir })).rejects.toMatchObject({
          pid: undefined,
          message: expect.stringContaining('another process'),
        })
      }
    } finally {
      await kill(child)
    }
  })
})

it('throws DamagedStoreError for a damaged record', async () => {
  {
    await using backend = await openEmbedded({ dataDir })
    await backend.commit({ compare: [], operations: [{ type: 'put', key: '/good', value: Buffer.from('good') }] })
    await backend.commit({ compare: [], operations: [{ type: 'put', key: '/bad', value: Buffer.from('value') }] })
  }
  const root = openRaw()
  const entries = root.openDB<Uint8Array, Uint8Array>({ name: 'entries', encoding: 'binary', keyEncoding: 'binary' })
  const record = Buffer.from(entries.get(Buffer.from('/bad'))!)
  record[record.length - 1]! ^= 1
  await entries.put(Buffer.from('/bad'), record)
  await root.close()
  await expect(openEmbedded({ dataDir })).rejects.toThrow(/record of "\/bad" is damaged/)
  // The failed attempt must not leave the file open.
  await expect(openEmbedded({ dataDir })).rejects.toThrow(/damaged/)
})

it.each([
  ['{"format":99}', 'UnusableStoreError', /format 99; this version reads and writes format 1/],
  ['{"format":null}', 'DamagedStoreError', /the stored format is \{"format":null\}, not a number/],
  ['null', 'DamagedStoreError', /the stored format is null, not a number/],
  [undefined, 'DamagedStoreError', /the stored format is undefined, not a number/],
])('does not change a directory with the format %s', async (format, name, message) => {
  {
    await using backend = await openEmbedded({ dataDir })
    await backend.commit({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('v') }] })
  }
  const root = openRaw()
  const meta = root.openDB<Uint8Array, Uint8Array>({ name: 'meta', encoding: 'binary', keyEncoding: 'binary' })
  await (format === undefined ? meta.remove(Buffer.from('format')) : meta.put(Buffer.from('format'), Buffer.from(format)))
  await root.close()
  await expect(openEmbedded({ dataDir })).rejects.toMatchObject({ name, message: expect.stringMatching(message) })
})

describe('when data.mdb is lost', () => {
  const createStore = async (): Promise<void> => {
    await using backend = await openEmbedded({ dataDir })
    await backend.commit({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('v') }] })
  }
  const locateDataFile = (): string => join(dataDir, 'data.mdb')
  const put = (backend: EmbeddedBackend): Promise<unknown> =>
    backend.commit({ compare: [], operations: [{ type: 'put', key: '/b', value: Buffer.from('v') }] })

  it.each([
    ['missing', () => rmSync(locateDataFile())],
    ['empty', () => truncateSync(locateDataFile())],
  ])('%s: does not open until store.json and closed.json are deleted', async (word, lose) => {
    await createStore()
    lose()
    for (let i = 0; i < 2; i++) {
      await expect(openEmbedded({ dataDir })).rejects.toMatchObject({
        name: 'UnusableStoreError',
        message:
          `${dataDir} held a store (see store.json and closed.json), but its data.mdb is ${word}: ` +
          'restore data.mdb, or delete store.json and closed.json to begin with an empty store',
      })
    }
    for (const name of ['store.json', 'closed.json']) rmSync(join(dataDir, name))
    await using backend = await openEmbedded({ dataDir })
    expect((await backend.list(createPrefixRange('/'))).count).toBe(0)
  })

  it.each([
    ['deleted', () => rmSync(locateDataFile()), /was deleted or replaced while the store was open/],
    ['renamed', () => renameSync(locateDataFile(), `${locateDataFile()}.old`), /was deleted or replaced while the store was open/],
    [
      'replaced',
      () => (copyFileSync(locateDataFile(), `${locateDataFile()}.new`), renameSync(`${locateDataFile()}.new`, locateDataFile())),
      /was deleted or replaced/,
    ],
    ['truncated', () => truncateSync(locateDataFile()), /was truncated from \d+ to 0 bytes while the store was open/],
  ])('%s while the store is open: no write resolves, and checkHealth rejects', async (_word, lose, message) => {
    await using backend = await openEmbedded({ dataDir })
    await put(backend)
    await backend.checkHealth()
    lose()
    await expect(backend.checkHealth()).rejects.toThrow(message)
    await expect(put(backend)).rejects.toMatchObject({ name: 'StoppedError', message: expect.stringMatching(message) })
    await expect(backend.checkHealth()).rejects.toThrow(message)
  })

  it('a lost store cannot be opened again by the process in which it failed', async () => {
    const backend = await openEmbedded({ dataDir })
    await put(backend)
    renameSync(locateDataFile(), `${locateDataFile()}.old`)
    await expect(put(backend)).rejects.toMatchObject({ name: 'StoppedError' })
    await backend[Symbol.asyncDispose]()
    renameSync(`${locateDataFile()}.old`, locateDataFile())
    await expect(openEmbedded({ dataDir })).rejects.toMatchObject({
      name: 'UnusableStoreError',
      message: expect.stringMatching(
        /^the store in .* failed in this process \(.*was deleted or replaced.*\): open it in another process$/,
      ),
    })
  })

  it('ignores other files in the directory, such as prepared certificates', async () => {
    mkdirSync(join(dataDir, 'certs'), { recursive: true })
    writeFileSync(join(dataDir, 'certs/ca.crt'), 'certificate')
    writeFileSync(join(dataDir, 'admin.kubeconfig'), 'kubeconfig')
    await createStore()
  })
})

it.runIf(existsSync('/proc/self'))('refuses a directory that cannot be created', async () => {
  await expect(openEmbedded({ dataDir: '/proc/keelson/store' })).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/keelson' })
})

it('a store returns its size', async () => {
  await using backend = await openEmbedded({ dataDir })
  await backend.commit({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.alloc(500_000, 1) }] })
  expect(await backend.measureSize()).toBeGreaterThan(500_000)
})

describe.skipIf(process.platform === 'win32')('other users', () => {
  const listFileModes = (): string[] =>
    readdirSync(dataDir).map((file) => `${file} ${(statSync(join(dataDir, file)).mode & 0o777).toString(8)}`)

  it('other users have no access to a directory that the store creates, nor to its files in an existing one', async () => {
    await (await openEmbedded({ dataDir }))[Symbol.asyncDispose]()
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    chmodSync(dataDir, 0o755)
    for (const file of ['data.mdb', 'lock.mdb']) rmSync(join(dataDir, file))
    for (const file of ['store.json', 'closed.json']) rmSync(join(dataDir, file))
    const umask = process.umask(0)
    try {
      const logMessages: unknown[] = []
      await using _ = await openEmbedded({ dataDir, log: (...line) => logMessages.push(line) })
      expect(listFileModes()).toEqual(['data.mdb 600', 'lock.mdb 600', 'store.json 600'])
      expect(logMessages).toEqual([[0, 'The data directory is accessible to other users', { dataDir, mode: '755', recommended: '700' }]])
    } finally {
      process.umask(umask)
    }
    expect(listFileModes()).toEqual(['closed.json 600', 'data.mdb 600', 'lock.mdb 600', 'store.json 600'])
  })

  it('other users lose the access that an older version granted', async () => {
    await (await openEmbedded({ dataDir }))[Symbol.asyncDispose]()
    for (const file of readdirSync(dataDir)) chmodSync(join(dataDir, file), 0o644)
    rmSync(join(dataDir, 'closed.json'))
    await using _ = await openEmbedded({ dataDir })
    expect(listFileModes()).toEqual(['data.mdb 600', 'lock.mdb 600', 'store.json 600'])
  })
})

it('refuses keys that LMDB cannot store', async () => {
  await using backend = await openEmbedded({ dataDir })
  for (const key of ['x'.repeat(2000), 'a\ud800']) {
    await expect(backend.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.from('v') }] })).rejects.toThrow(RangeError)
  }
  expect((await backend.commit({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('v') }] })).revision).toBe(2)
})

it('does not check the free space before every batch if much space is free', async () => {
  let freeSpaceReads = 0
  const durability = await LmdbDurability.open(dataDir, { freeBytes: () => (freeSpaceReads++, Infinity) })
  await using backend = openDurable(durability, {})
  for (let i = 0; i < 20; i++) await backend.commit({ compare: [], operations: [{ type: 'put', key: `/${i}`, value: Buffer.alloc(10) }] })
  expect(freeSpaceReads).toBeGreaterThan(0)
  expect(freeSpaceReads).toBeLessThan(20)
})

describe('with little space on the disk', () => {
  it('refuses puts before LMDB would fail, accepts deletes, and accepts puts again when there is space', async () => {
    const clock = createManualClock()
    let free = 2 ** 29
    const logMessages: unknown[] = []
    const log = (...line: unknown[]): unknown => logMessages.push(line)
    const durability = await LmdbDurability.open(dataDir, { freeBytes: () => free, log })
    await using backend = openDurable(durability, { clock })
    const put = (key: string): Promise<{ revision: number }> =>
      backend.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.alloc(3000) }] })
    await put('/a')
    await put('/b')
    free = 8 * 2 ** 20
    await expect(put('/c')).rejects.toMatchObject({ name: 'ReadOnlyError' })
    // The store is healthy, because restarting it would not free space.
    await backend.checkHealth()
    expect(logMessages).toEqual([[0, 'Refusing writes: the disk is full', { dataDir, free: '8Mi', kept: '16Mi' }]])
    expect((await backend.commit({ compare: [], operations: [{ type: 'delete', key: '/a' }] })).revision).toBe(4)
    free = 2 ** 20
    await expect(backend.commit({ compare: [], operations: [{ type: 'delete', key: '/b' }] })).rejects.toMatchObject({
      name: 'ReadOnlyError',
    })
    expect((await backend.list(createPrefixRange('/'))).entries.map((entry) => entry.key)).toEqual(['/b'])
    free = 2 ** 29
    clock.advance(5001)
    expect((await put('/c')).revision).toBe(5)
    expect(logMessages.at(-1)).toEqual([0, 'Accepting writes again: the disk has space', { dataDir, free: '512Mi', kept: '16Mi' }])
  })
})
