import { fileURLToPath } from 'node:url'
import type { Item } from '../frame/item.ts'
import { createProcessSide } from '../frame/process-side.ts'

const program = fileURLToPath(import.meta.resolve('./heap-growth-process.ts'))

/** Measures how much of the heap remains in use after a definition was created and deleted many times. */
export const heapGrowthItem: Item = {
  name: 'custom/heap-growth',
  title: 'growth of the used heap between round 100 and round 1,100 of creating and deleting a definition',
  unit: 'MiB',
  bar: { type: 'most', value: 0.1 },
  only: 'named',
  rounds: 1,
  open: async () => ({ sides: [createProcessSide('keelson', program, () => [])] }),
}
