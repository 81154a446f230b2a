import { openEmbedded } from '../src/index.ts'

/**
 * The child process of the crash test. 32 writers create objects as fast as they can, and report each resolved write, until the process is
 * killed. A value contains its own key and is longer than a page, so that a partial write is detected.
 */
const [dataDir, round, durability] = process.argv.slice(2) as [string, string, 'fsync' | 'memory']
const backend = await openEmbedded({ dataDir, durability })
process.send!('ready')
let nextKey = 0
await Promise.all(
  Array.from({ length: 32 }, async () => {
    for (;;) {
      const key = `/crash/${round}/${nextKey++}`
      const value = Buffer.from(`${key};`.repeat(200))
      const result = await backend.commit({ compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value }] })
      process.send!(`${key} ${result.committed ? result.revision : 'lost'}`)
    }
  }),
)
