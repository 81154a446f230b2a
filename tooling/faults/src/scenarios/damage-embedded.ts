import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbedded } from '@keelson/backend-embedded'
import { open } from 'lmdb'
import type { Seen } from '../checker/index.ts'
import { allKeys, formatKey } from '../load/clients.ts'
import { createSeen } from '../load/recorded-backend.ts'
import { createValue } from '../load/values.ts'
import { fail, newResult, type Scenario } from './scenario.ts'

const pageBytes = 4096

/**
 * Scenario that damages a copy of a store in each round and opens it. Opening must either return correct contents or fail with the reason.
 * If the contents are correct, the scenario writes to the store and opens it again, because some damage only affects writes.
 */
export const damageEmbedded: Scenario = {
  name: 'damage-embedded',
  about: 'random damage to the files of LMDB and to stored values',
  rounds: 1200,
  roundsPerPart: 300,
  shortRounds: 12,
  async run({ rounds, directory, random }) {
    const result = newResult()
    const templates = [await makeTemplate(join(directory, 'a'), random, 0), await makeTemplate(join(directory, 'b'), random, 1)]
    const counts = { right: 0, refused: 0, 'refused after writing': 0 }
    const reasons = new Map<string, number>()
    for (let round = 0; round < rounds; round++) {
      const template = templates[round % templates.length]!
      const dataDir = join(directory, 'damaged')
      rmSync(dataDir, { recursive: true, force: true })
      cpSync(template.dataDir, dataDir, { recursive: true })
      const damage = round % 4 === 3 ? await damageValue(dataDir, random) : damageFile(dataDir, random, template.earlier)
      let stage: 'refused' | 'refused after writing' = 'refused'
      try {
        if (!(await readsCorrectly(dataDir, template.entries, result.rounds))) fail(result, `wrong content after ${damage}`)
        stage = 'refused after writing'
        if (!(await readsCorrectly(dataDir, undefined, result.rounds))) fail(result, `wrong content after ${damage} and further writes`)
        counts.right++
      } catch (error) {
        counts[stage]++
        const reason = error instanceof Error ? error.message : ''
        if (!/damaged|stored|format|restore/.test(reason)) fail(result, `refused without a reason after ${damage}: ${String(error)}`)
        const kind = reason.replace(/"[^"]*"|\/\S+|\d+/g, '…').slice(0, 70)
        reasons.set(kind, (reasons.get(kind) ?? 0) + 1)
      }
      result.rounds++
    }
    result.notes.push(JSON.stringify(counts), ...Array.from(reasons, ([reason, count]) => `${count} × ${reason}`))
    return result
  },
}

interface Template {
  readonly dataDir: string
  readonly entries: readonly Seen[]
  /** Contents of the data file a few commits before. */
  readonly earlier: Buffer
}

async function makeTemplate(dataDir: string, random: () => number, variant: number): Promise<Template> {
  mkdirSync(dataDir, { recursive: true })
  const backend = await openEmbedded({ dataDir })
  const put = async (i: number, name: string): Promise<void> => {
    const bytes = variant === 0 ? 20 + Math.floor(random() * 1500) : 500 + Math.floor(random() * 9000)
    await backend.commit({ compare: [], operations: [{ type: 'put', key: formatKey(i), value: createValue(`${name}-${i}`, bytes) }] })
  }
  for (let i = 0; i < 400; i++) await put(i % 250, `v${i}`)
  for (let i = 0; i < 60; i++) await backend.commit({ compare: [], operations: [{ type: 'delete', key: formatKey(i * 3) }] })
  const earlier = readFileSync(join(dataDir, 'data.mdb'))
  for (let i = 0; i < 30; i++) await put(Math.floor(random() * 250), `w${i}`)
  const { entries } = await backend.list(allKeys)
  await backend[Symbol.asyncDispose]()
  return { dataDir, entries: entries.map(createSeen), earlier }
}

/**
 * Opens a damaged store and returns whether its entries are correct. If `expected` is set, the entries must be equal to it, and a few more
 * are written. Otherwise each entry must be valid.
 */
async function readsCorrectly(dataDir: string, expected: readonly Seen[] | undefined, round: number): Promise<boolean> {
  const backend = await openEmbedded({ dataDir })
  try {
    const entries = (await backend.list(allKeys)).entries.map(createSeen)
    if (!expected)
      return (
        entries.every((entry) => !entry.tag.startsWith('damaged')) && entries.filter((e) => e.tag.startsWith(`x${round}-`)).length === 20
      )
    if (JSON.stringify(entries) !== JSON.stringify(expected)) return false
    for (let i = 0; i < 20; i++)
      await backend.commit({
        compare: [],
        operations: [{ type: 'put', key: formatKey(i * 11), value: createValue(`x${round}-${i}`, 900) }],
      })
    return true
  } finally {
    await backend[Symbol.asyncDispose]()
  }
}

function damageFile(dataDir: string, random: () => number, earlier: Buffer): string {
  const pickBelow = (limit: number): number => Math.floor(random() * limit)
  const names = readdirSync(dataDir).filter((name) => statSync(join(dataDir, name)).size > 0)
  const name = random() < 0.9 ? 'data.mdb' : names[pickBelow(names.length)]!
  const file = join(dataDir, name)
  let bytes = readFileSync(file)
  const pages = Math.max(1, Math.floor(bytes.length / pageBytes))
  // Half of the damaged bytes are in LMDB's structures: the headers and the starts of pages.
  const at =
    random() < 0.3
      ? pickBelow(Math.min(bytes.length, 2 * pageBytes))
      : random() < 0.4
        ? Math.min(bytes.length - 1, pickBelow(pages) * pageBytes + pickBelow(40))
        : pickBelow(bytes.length)
  const kind = pickBelow(7)
  const damage = ['a bit', 'a byte', 'bytes', 'a sector', 'two pages', 'the length', 'an older page'][kind]!
  if (kind === 0) bytes[at]! ^= 1 << pickBelow(8)
  else if (kind === 1) bytes[at] = pickBelow(256)
  else if (kind === 2) for (let i = at; i < Math.min(bytes.length, at + 1 + pickBelow(64)); i++) bytes[i] = pickBelow(256)
  else if (kind === 3) bytes.fill(random() < 0.5 ? 0 : pickBelow(256), at - (at % 512), Math.min(bytes.length, at - (at % 512) + 512))
  else if (kind === 4) {
    const [one, two] = [pickBelow(pages) * pageBytes, pickBelow(pages) * pageBytes]
    const copy = Buffer.from(bytes.subarray(one, one + pageBytes))
    bytes.copy(bytes, one, two, two + pageBytes)
    copy.copy(bytes, two)
  } else if (kind === 5) bytes = bytes.subarray(0, at)
  else {
    const page = pickBelow(pages) * pageBytes
    earlier.copy(bytes, page, page, page + pageBytes)
  }
  writeFileSync(file, bytes)
  return `spoiling ${damage} of ${name} at ${at}`
}

async function damageValue(dataDir: string, random: () => number): Promise<string> {
  const options = { encoding: 'binary', keyEncoding: 'binary' } as const
  const root = open<Uint8Array, Uint8Array>({ path: dataDir, noSubdir: false, maxDbs: 3, overlappingSync: false, ...options })
  const name = random() < 0.9 ? 'entries' : 'meta'
  const table = root.openDB<Uint8Array, Uint8Array>({ name, ...options })
  const keys = Array.from(table.getKeys(), (key) => Buffer.from(key))
  const key = keys[Math.floor(random() * keys.length)]!
  const record = Buffer.from(table.get(key)!)
  const at = Math.floor(random() * record.length)
  record[at]! ^= 1 << Math.floor(random() * 8)
  await table.put(key, random() < 0.9 ? record : record.subarray(0, at))
  await root.close()
  return `spoiling the record of ${key.toString()} at ${at}`
}
