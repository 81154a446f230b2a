import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

/** Whether the test can mount a file system, which needs Linux and the permission. If not, the test is skipped. */
const mayMount = spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0

let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'keelson-full-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** The program that the test runs, on a disk of 32 MiB. */
const script = `
  import { existsSync, rmSync, writeSync, openSync, closeSync } from 'node:fs'
  import { openEmbedded } from ${JSON.stringify(fileURLToPath(new URL('index.ts', import.meta.url)))}
  const [dataDir] = process.argv.slice(1)
  const file = (name) => dataDir + '/' + name
  const put = (store, key) =>
    store.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.from('v') }] }).then(
      () => 'written',
      (error) => error.name,
    )
  const state = async (store) => [
    (await store.get('/a')).entry?.key,
    await put(store, '/b'),
    await store.checkHealth().then(() => 'healthy', String),
  ]
  const told = []

  const first = await openEmbedded({ dataDir })
  await put(first, '/a')
  const filler = openSync(file('filler'), 'w')
  try {
    for (;;) writeSync(filler, Buffer.alloc(4096))
  } catch (error) {
    told.push(error.code)
  }
  closeSync(filler)
  told.push(await state(first))
  await first[Symbol.asyncDispose]()
  told.push(existsSync(file('closed.json')))

  const second = await openEmbedded({ dataDir })
  told.push(await state(second))
  rmSync(file('filler'))
  await second[Symbol.asyncDispose]()

  const third = await openEmbedded({ dataDir })
  told.push(await state(third))
  await third[Symbol.asyncDispose]()
  console.log(JSON.stringify(told))`

it.skipIf(!mayMount)('a full disk: reads work, also after a restart, and closing leaves no empty closed.json', () => {
  const run = 'mount -t tmpfs -o size=32m tmpfs "$1" && exec "$2" --input-type=module -e "$3" "$1"'
  const output = execFileSync('unshare', ['--mount', 'sh', '-c', run, 'sh', dataDir, process.execPath, script], { encoding: 'utf8' })
  expect(JSON.parse(output)).toEqual([
    'ENOSPC',
    ['/a', 'ReadOnlyError', 'healthy'],
    false,
    ['/a', 'ReadOnlyError', 'healthy'],
    ['/a', 'written', 'healthy'],
  ])
})
