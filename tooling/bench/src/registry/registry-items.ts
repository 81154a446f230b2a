import { fileURLToPath } from 'node:url'
import type { Bar, Item } from '../frame/item.ts'
import { createProcessSide } from '../frame/process-side.ts'

/** Description of an item that measures the write path. */
interface WritePathItem {
  /** Name of the item and of its load or step. */
  readonly name: string
  readonly title: string
  /** 'rate' for writes per second, 'time' for microseconds of processor time per step. */
  readonly unit: 'rate' | 'time'
  /** Minimum rate or maximum time. If undefined, the figure has no bar. */
  readonly bar?: number
}

const writePath: readonly WritePathItem[] = [
  {
    name: 'create',
    title: 'create of a 3 KB pod through the store, with default admission, durable, 32 in flight',
    unit: 'rate',
    bar: 4500,
  },
  { name: 'update', title: 'update of a label of this pod, under the same conditions', unit: 'rate' },
  { name: 'patch', title: 'merge patch of an annotation of this pod, under the same conditions', unit: 'rate' },
  { name: 'decode', title: "decoding the pod from a client's bytes", unit: 'time' },
  { name: 'validate', title: 'defaulting and validating it', unit: 'time', bar: 60 },
  { name: 'managers', title: 'its managed fields, when it is created', unit: 'time', bar: 40 },
  { name: 'managers-update', title: 'its managed fields, when a label is updated', unit: 'time' },
  { name: 'managers-apply', title: 'its managed fields, when a label is applied', unit: 'time' },
  { name: 'encode', title: 'encoding it into the stored record', unit: 'time' },
]

const program = fileURLToPath(import.meta.resolve('./registry-process.ts'))

/** Items that measure the write path of a pod in one process, without HTTP. */
export const registryItems: readonly Item[] = writePath.map(createItem)

function createItem({ name, title, unit, bar }: WritePathItem): Item {
  return {
    name: `registry/${name}`,
    title,
    unit: unit === 'rate' ? 'operations/s' : 'µs',
    ...(bar !== undefined && { bar: { type: unit === 'rate' ? 'least' : 'most', value: bar } satisfies Bar }),
    only: 'named',
    open: async () => ({ sides: [createProcessSide('keelson', program, () => [name])] }),
  }
}
