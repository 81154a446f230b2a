import { describe, expect, test } from 'vitest'
import { SnapshotStore } from './snapshot-store.ts'

describe('SnapshotStore', () => {
  test('a state holds until the next one', () => {
    const store = new SnapshotStore<string>()
    store.add(5, 'five')
    store.add(9, 'nine')
    expect([4, 5, 8, 9, 100].map((revision) => store.get(revision)?.state)).toEqual([undefined, 'five', 'five', 'nine', 'nine'])
  })

  test('dropping keeps the state that still holds at the revision', () => {
    const store = new SnapshotStore<number>()
    for (let revision = 0; revision < 1000; revision += 10) {
      store.add(revision, revision)
      store.dropBefore(revision - 25)
      expect(store.size).toBeLessThanOrEqual(4)
      if (revision >= 30) {
        expect(store.get(revision - 25)?.state).toBe(revision - 30)
        expect(store.get(revision - 31)).toBeUndefined()
      }
    }
  })
})
