// Opens a store on disk, prints the entries of earlier runs as JSON, adds an entry, and closes the store.
import { openEmbedded } from '@keelson/backend-embedded'
import { createPrefixRange } from '@keelson/storagebackend'

const [dataDir = '', life = ''] = process.argv.slice(2)
const store = await openEmbedded({ dataDir })
const { entries } = await store.list(createPrefixRange('/'))
const lines = entries.map(({ key, value }) => `${key} ${value.length} ${Buffer.from(value).toString('latin1', 0, 8)}`)
for (const size of [0, 1, 500, 20_000, 200_000])
  await store.commit({
    compare: [],
    operations: [
      { type: 'put', key: `/${life}/${size}`, value: Buffer.alloc(size, life) },
      { type: 'put', key: '/last', value: Buffer.from(life) },
    ],
  })
await store[Symbol.asyncDispose]()
process.stdout.write(JSON.stringify(lines))
