import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { OrderedTree } from '@keelson/storagebackend'
import type { Entry } from '@keelson/storagebackend'
import { expect, it } from 'vitest'
import { History } from './history.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

it('frees the changes that it drops at once', async () => {
  const history = new History({ milliseconds: 1000, revisions: 10, bytes: 2 ** 20 }, 1, new OrderedTree<Entry>())
  const records = Array.from({ length: 200 }, (_, n) => new WeakRef(history.append(n, [])))
  await nextTurn()
  collectGarbage()
  const isFreed = records.map((record) => record.deref() === undefined)
  expect(history.compacted).toBeGreaterThan(100)
  // The record of revision 2 is the first one.
  expect(isFreed).toEqual(records.map((_, i) => i + 2 <= history.compacted))
})
