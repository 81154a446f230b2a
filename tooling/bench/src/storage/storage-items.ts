import { fileURLToPath } from 'node:url'
import type { Item } from '../frame/item.ts'
import { bareSide } from '../frame/judge.ts'
import { processSide } from '../frame/process-side.ts'
import type { StorageJob } from './storage-job.ts'

/** A figure of ours beside what bounds it. */
interface StorageLoads {
  readonly name: string
  readonly title: string
  /** Names of loads. */
  readonly ours: string
  readonly bare: string
  /** Of bare. */
  readonly least?: number
  /** Of one operation, where that is the bar. */
  readonly mostMs?: number
  readonly etcd?: boolean
}

export const storageLoads: readonly StorageLoads[] = [
  {
    name: 'create-32',
    title: 'embedded: durable create of 3 KB, 32 in flight',
    ours: 'embedded create 32',
    bare: 'lmdb put 32',
    least: 0.5,
  },
  {
    name: 'create-1',
    title: 'embedded: durable create of 3 KB, one at a time',
    ours: 'embedded create 1',
    bare: 'lmdb put 1',
    least: 0.8,
  },
  {
    name: 'etcd-create-32',
    title: 'etcd: create of 3 KB, 32 in flight',
    ours: 'etcd create 32',
    bare: 'etcd3 create 32',
    least: 0.85,
    etcd: true,
  },
  {
    name: 'etcd-create-1',
    title: 'etcd: create of 3 KB, one at a time',
    ours: 'etcd create 1',
    bare: 'etcd3 create 1',
    least: 0.85,
    etcd: true,
  },
  {
    name: 'etcd-get-32',
    title: 'etcd: get of 3 KB, 32 in flight',
    ours: 'etcd get 32',
    bare: 'etcd3 get 32',
    least: 0.85,
    etcd: true,
  },
  {
    name: 'etcd-get-1',
    title: 'etcd: get of 3 KB, one at a time',
    ours: 'etcd get 1',
    bare: 'etcd3 get 1',
    least: 0.85,
    etcd: true,
  },
  {
    name: 'walk',
    title: 'embedded: walk of 10,000 entries from a snapshot',
    ours: 'snapshot walk',
    bare: 'array walk',
    mostMs: 2,
  },
  {
    name: 'watches',
    title: 'embedded: events with 1,000 watches on distinct prefixes, beside 10',
    ours: '1000 watches',
    bare: '10 watches',
    least: 0.8,
  },
]

const program = fileURLToPath(import.meta.resolve('./storage-process.ts'))
let runs = 0

/** The stores themselves, at their bytes-level contract with values ready. */
export const storageItems: readonly Item[] = storageLoads.map(({ name, title, ours, bare, least, mostMs, etcd }) => ({
  name: `storage/${name}`,
  title,
  unit: mostMs === undefined ? 'operations/s' : 'ms',
  bar: mostMs === undefined ? { type: 'share', least: least ?? 0 } : { type: 'most', value: mostMs },
  ...(etcd === true && { full: true }),
  async open(bench) {
    const url = etcd === true ? await bench.etcd() : undefined
    if (etcd === true && url === undefined) return undefined
    const side = (as: string, load: string): ReturnType<typeof processSide> =>
      processSide(
        as,
        program,
        () => [JSON.stringify({ load, run: runs++, etcd: url } satisfies StorageJob)],
        ({ value, p50 }) => (mostMs === undefined ? value : p50!),
      )
    return { sides: [side('keelson', ours), side(bareSide, bare)] }
  },
}))
