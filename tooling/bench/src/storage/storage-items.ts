import { fileURLToPath } from 'node:url'
import type { Figure, Item } from '../frame/item.ts'
import { bareSide } from '../frame/judge.ts'
import { createProcessSide } from '../frame/process-side.ts'
import type { StorageJob } from './storage-job.ts'

/** An item that compares a load on a Keelson store with a bare load. */
interface StorageLoads {
  readonly name: string
  readonly title: string
  /** Name of the load on the Keelson store. */
  readonly ours: string
  readonly bare: string
  /** Minimum share of the bare load's result. */
  readonly least?: number
  /** Maximum duration of one operation in milliseconds, if the bar is a duration. */
  readonly mostMs?: number
  readonly etcd?: boolean
  readonly rounds?: number
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
    title: 'embedded: iterate over 10,000 entries of a snapshot',
    ours: 'snapshot walk',
    bare: 'array walk',
    mostMs: 2,
    rounds: 3,
  },
  {
    name: 'watches',
    title: 'embedded: events with 1,000 watches on distinct prefixes, compared with 10',
    ours: '1000 watches',
    bare: '10 watches',
    least: 0.8,
    rounds: 3,
  },
]

const program = fileURLToPath(import.meta.resolve('./storage-process.ts'))
let runs = 0

/** Items that measure the stores without encoding and decoding: the values are byte arrays that exist before the measurement. */
export const storageItems: readonly Item[] = storageLoads.map(createItem)

function createItem({ name, title, ours, bare, least = 0, mostMs, etcd = false, rounds }: StorageLoads): Item {
  return {
    name: `storage/${name}`,
    title,
    unit: mostMs === undefined ? 'operations/s' : 'ms',
    bar: mostMs === undefined ? { type: 'share', least } : { type: 'most', value: mostMs },
    ...(etcd && { only: 'named' as const }),
    ...(rounds !== undefined && { rounds }),
    async open(bench) {
      const url = etcd ? await bench.startEtcd() : undefined
      if (etcd && url === undefined) return undefined
      const createArguments = (load: string) => (): readonly string[] => [
        JSON.stringify({ load, run: runs++, etcd: url } satisfies StorageJob),
      ]
      const pick = ({ value, p50 }: Figure): number => (mostMs === undefined ? value : p50!)
      return {
        sides: [
          createProcessSide('keelson', program, createArguments(ours), pick),
          createProcessSide(bareSide, program, createArguments(bare), pick),
        ],
      }
    },
  }
}
