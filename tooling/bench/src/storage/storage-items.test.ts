import { expect, test } from 'vitest'
import { loads } from './loads.ts'
import { storageLoads } from './storage-items.ts'

test('the loads of each storage item exist', () => {
  for (const item of storageLoads) for (const name of [item.ours, item.bare]) expect(Object.keys(loads)).toContain(name)
})
