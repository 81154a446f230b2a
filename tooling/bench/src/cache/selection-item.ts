import { usageOf } from '../process-usage.ts'
import { ask } from '../server-under-test.ts'
import { middleOf } from '../storage/storage-verdict.ts'
import type { CacheItem } from './cache-item.ts'
import type { DatasetSize } from './fill-store.ts'

export interface SelectionOptions {
  readonly title: string
  readonly size: DatasetSize
  /** A list with a selector that lets nothing through. */
  readonly path: string
  readonly mostMilliseconds: number
}

/** How long it takes to go through everything for nothing. */
export function selectionItem({ title, size, path, mostMilliseconds }: SelectionOptions): CacheItem {
  return {
    name: 'selection',
    title,
    async run(bench) {
      const server = await bench.server(size)
      const times: number[] = []
      const lines: string[] = []
      for (let round = 0; round < Math.max(15, bench.rounds); round++) {
        const before = usageOf(server.pid)!.cpuSeconds
        const began = performance.now()
        const { status } = await ask(server, 'GET', path)
        if (status !== 200) throw new Error(`${path} answered ${status}`)
        times.push(performance.now() - began)
        const cpu = (usageOf(server.pid)!.cpuSeconds - before) * 1000
        lines.push(`  ${times.at(-1)!.toFixed(0)} ms, cpu ${cpu.toFixed(0)} ms`)
      }
      const reached = middleOf(times)
      return { lines, wanted: `at most ${mostMilliseconds} ms`, reached: `${reached.toFixed(0)} ms`, met: reached <= mostMilliseconds }
    },
  }
}
