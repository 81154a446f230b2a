import { expect } from 'vitest'
import type { StorageStats } from '../storage.ts'
import { catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createTestCodec, testObject } from './test-object.ts'

export function defineStatisticsTests(test: DeclareStorageTest): void {
  test('statistics: the number of objects and their average stored size are exact after every write', async ({
    storage,
    createKey,
    create,
    update,
  }) => {
    const encoded = createTestCodec().encode(testObject('ns', 'foo', { text: 'x'.repeat(100) })).length
    expect(await storage.measureStats()).toEqual({ objectCount: 0, estimatedAverageObjectSize: 0 })
    await create('ns', 'foo', { text: 'x'.repeat(100) })
    const { estimatedAverageObjectSize: foo } = await storage.measureStats()
    expect(foo).toBeGreaterThanOrEqual(encoded)
    // Encryption adds bytes to each value, so the limit is higher than the encoded size.
    expect(foo).toBeLessThan(encoded + 200)

    const bar = await create('ns', 'bar')
    const twoObjects = await storage.measureStats()
    await update(bar, (object) => void (object.metadata.labels = { foo: 'bar', and: 'more' }))
    const grown = await storage.measureStats()
    await storage.delete(createKey('ns', 'foo'))
    const oneObject = await storage.measureStats()
    const createStats = (of: number): StorageStats => ({ objectCount: 2, estimatedAverageObjectSize: Math.floor((foo + of) / 2) })
    expect(oneObject.objectCount).toBe(1)
    expect(grown).toEqual(createStats(oneObject.estimatedAverageObjectSize))
    expect(twoObjects.objectCount).toBe(2)
    expect(twoObjects.estimatedAverageObjectSize).toBeLessThan(grown.estimatedAverageObjectSize)

    await catchFailure(storage.delete(createKey('ns', 'foo')))
    await catchFailure(create('ns', 'bar'))
    expect(await storage.measureStats()).toEqual(oneObject)
    await storage.delete(createKey('ns', 'bar'))
    expect(await storage.measureStats()).toEqual({ objectCount: 0, estimatedAverageObjectSize: 0 })
  })

  test('statistics: do not include other resources', async ({ storage, prefix, create, put }) => {
    await create('ns', 'a')
    const oldStats = await storage.measureStats()
    await put(`${prefix.slice(0, -1)}-elsewhere/x`, Buffer.alloc(10_000))
    await put(`${prefix.slice(0, -2)}/x`, Buffer.alloc(10_000))
    expect(await storage.measureStats()).toEqual(oldStats)
  })
}
