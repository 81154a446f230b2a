import { selectEveryField, parseLabelSelector } from '@keelson/apimachinery'
import type { ObjectSnapshot } from '@keelson/storagebackend'
import { expect, test } from 'vitest'
import { listFromState } from './cached-list.ts'

/** A state with endless objects, none of which matches. */
const endlessSnapshot: ObjectSnapshot = {
  get: () => undefined,
  *scan() {},
  *select() {
    for (;;) yield undefined
  },
  count: () => 0,
}

test('a list stops when the client disconnects', async () => {
  const stop = new AbortController()
  const predicate = { labels: parseLabelSelector('a=b'), fields: selectEveryField() }
  const list = listFromState(endlessSnapshot, { revision: 1, prefix: '/a/', startKey: undefined, limit: 0, predicate, signal: stop.signal })
  setImmediate(() => stop.abort(new Error('gone')))
  await expect(list).rejects.toThrow('gone')
})
