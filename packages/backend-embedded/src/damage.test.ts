import { cpSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrefixRange } from '@keelson/storagebackend'
import { open } from 'lmdb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeCloseMark, readFileHeader } from './file-header.ts'
import { DamagedStoreError, openEmbedded } from './index.ts'

let directory = ''
let sound = ''
let dataDir = ''
let file = ''
/** All tests copy one store, because hundreds of commits take seconds on a slow disk. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keelson-damage-'))
  sound = join(directory, 'sound.d')
  await using backend = await openEmbedded({ dataDir: sound })
  for (let i = 0; i < 300; i++)
    await backend.commit({ compare: [], operations: [{ type: 'put', key: `/k${i % 100}`, value: Buffer.alloc(300 + i, i) }] })
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))
beforeEach(() => {
  dataDir = join(mkdtempSync(join(directory, 'test-')), 'data.d')
  file = join(dataDir, 'data.mdb')
  cpSync(sound, dataDir, { recursive: true, preserveTimestamps: true })
})

const changeFile = (change: (bytes: Buffer) => void): void => {
  const bytes = readFileSync(file)
  change(bytes)
  writeFileSync(file, bytes)
}
const expectRefused = async (reason: RegExp): Promise<void> => {
  const error = await openEmbedded({ dataDir }).catch((e: unknown) => e)
  expect(error).toBeInstanceOf(DamagedStoreError)
  expect(String(error)).toMatch(reason)
}
/** Returns the offset of the newest commit's header page. */
const findNewestMetaPage = (bytes: Buffer): number => (bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(4096 + 152) ? 0 : 4096)

describe('damaged files', () => {
  it('refuses a file with an invalid header', async () => {
    changeFile((bytes) => bytes.writeUInt32LE(1, 24))
    await expectRefused(/its header/)
  })

  it('refuses a file from which LMDB would use an older commit', async () => {
    changeFile((bytes) => bytes.writeBigUInt64LE(4n, findNewestMetaPage(bytes) + 152))
    await expectRefused(/its last commits are/)
  })

  it('refuses a file whose root belongs to an older commit', async () => {
    changeFile((bytes) => {
      const older = findNewestMetaPage(bytes) === 0 ? 4096 : 0
      bytes.writeBigUInt64LE(bytes.readBigUInt64LE(older + 136), findNewestMetaPage(bytes) + 136)
    })
    await expectRefused(/its root is not of its last commit/)
  })

  it('refuses a truncated file', async () => {
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, 3 * 4096))
    await expectRefused(/damaged/)
  })

  it('refuses a file that lists a page in use as free', async () => {
    changeFile((bytes) => {
      const free = Number(bytes.readBigUInt64LE(findNewestMetaPage(bytes) + 88)) * 4096
      const node = free + 24 + bytes.readUInt16LE(free + 24)
      // The first number of the list of free pages. The test replaces it with the root page of all tables.
      const list = node + 8 + bytes.readUInt16LE(node + 6)
      bytes.writeBigInt64LE(1n, list)
      bytes.writeBigInt64LE(bytes.readBigInt64LE(findNewestMetaPage(bytes) + 136), list + 8)
    })
    await expectRefused(/is used twice/)
  })

  it('refuses a file with a page whose free space overlaps its nodes', async () => {
    changeFile((bytes) => {
      const root = Number(bytes.readBigUInt64LE(findNewestMetaPage(bytes) + 136)) * 4096
      bytes.writeUInt16LE(bytes.readUInt16LE(root + 22) + 8, root + 22)
    })
    await expectRefused(/in the wrong place/)
  })

  it('refuses a file that would crash the process', async () => {
    changeFile((bytes) => {
      for (let page = 2 * 4096; page < bytes.length; page += 4096) bytes.fill(0xff, page + 18, page + 24)
    })
    await expectRefused(/damaged/)
  })
})

describe('files that were damaged after an orderly close, with the same size and time', () => {
  const damageUnnoticed = (change: (bytes: Buffer) => void): void => {
    changeFile(change)
    writeCloseMark(dataDir, readFileHeader(file)!)
  }

  it('refuses a file in which no page has a valid kind', async () => {
    damageUnnoticed((bytes) => {
      for (let page = 2 * 4096; page < bytes.length; page += 4096) bytes.fill(0xff, page + 18, page + 24)
    })
    await expectRefused(/has unexpected contents/)
  })

  it('refuses a file with a key in the wrong order', async () => {
    damageUnnoticed((bytes) => {
      for (let at = bytes.indexOf('/k5'); at >= 0; at = bytes.indexOf('/k5', at + 1)) bytes.write('/z5', at)
    })
    await expectRefused(/the keys of page \d+ are in the wrong place/)
  })

  it('refuses a file with a branch that points to the wrong page', async () => {
    damageUnnoticed((bytes) => {
      for (let page = 2 * 4096; page < bytes.length; page += 4096) {
        if (bytes.readUInt16LE(page + 18) !== 1) continue
        const second = page + 24 + bytes.readUInt16LE(page + 26)
        bytes.write('/a', second + 8)
      }
    })
    await expectRefused(/the keys of page \d+ are in the wrong place/)
  })
})

it('detects missing records even if all other records are intact', async () => {
  const root = open<Uint8Array, Uint8Array>({
    path: dataDir,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: 3,
    overlappingSync: false,
  })
  const entries = root.openDB<Uint8Array, Uint8Array>({ name: 'entries', encoding: 'binary', keyEncoding: 'binary' })
  await entries.remove(Buffer.from('/k7'))
  await root.close()
  await expectRefused(/not those of the last commit/)
})

it('opens a copy with another modification time, after a trial in a separate process', async () => {
  utimesSync(file, 1, 1)
  await using backend = await openEmbedded({ dataDir })
  expect((await backend.list(createPrefixRange('/'))).count).toBe(100)
})
