import { expect, test } from 'vitest'
import type { Entry } from './backend.ts'
import { ObjectPage } from './object-page.ts'

function* yieldEndlessly(): Generator<Entry> {
  for (let i = 0; ; i++) yield { key: `/${i}` } as Entry
}

test('a list stops when the client disconnects', async () => {
  const stop = new AbortController()
  const page = new ObjectPage({ open: () => undefined, limit: 0, filtered: true, signal: stop.signal })
  setImmediate(() => stop.abort(new Error('gone')))
  await expect(page.fill(yieldEndlessly())).rejects.toThrow('gone')
})
