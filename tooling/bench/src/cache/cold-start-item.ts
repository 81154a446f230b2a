import { usageOf } from '../process-usage.ts'
import { ask } from '../server-under-test.ts'
import { middleOf } from '../storage/storage-verdict.ts'
import type { CacheItem } from './cache-item.ts'
import { pods } from './fill-store.ts'
import type { DatasetSize } from './fill-store.ts'

/** From the start of the process until a list is answered. */
export function coldStartItem({ size, mostSeconds }: { readonly size: DatasetSize; readonly mostSeconds: number }): CacheItem {
  return {
    name: 'start',
    title: `start with ${size.pods.toLocaleString('en')} pods, until a list is answered`,
    async run(bench) {
      await bench.dataset(size)
      const times: number[] = []
      const lines: string[] = []
      for (let round = 0; round < bench.rounds; round++) {
        const began = performance.now()
        const server = await bench.freshServer(size)
        // From the cache, of any age: answered only when the cache is filled.
        const { status } = await ask(server, 'GET', `${pods}?resourceVersion=0&labelSelector=nothing%3Dmatches`)
        if (status !== 200) throw new Error(`the list answered ${status}`)
        times.push((performance.now() - began) / 1000)
        const usage = usageOf(server.pid)!
        lines.push(`  ${times.at(-1)!.toFixed(2)} s, cpu ${usage.cpuSeconds.toFixed(2)} s, RssAnon ${usage.rssAnonMiB.toFixed(0)} MiB`)
      }
      const seconds = middleOf(times)
      return { lines, wanted: `at most ${mostSeconds} s`, reached: `${seconds.toFixed(2)} s`, met: seconds <= mostSeconds }
    },
  }
}
