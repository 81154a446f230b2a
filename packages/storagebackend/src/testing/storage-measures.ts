import { expect } from 'vitest'
import { catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { undecodable } from './test-object.ts'

export function defineMeasureTests(test: DeclareStorageTest): void {
  test('metrics: count requests to the driver and measure their duration', async ({ storage, createKey, create, update, readMetrics }) => {
    const created = await create('ns', 'a')
    await update(created, (object) => void (object.spec = { text: 'x' }))
    await storage.get(createKey('ns', 'a'))
    await create('ns', 'b')
    await storage.delete(createKey('ns', 'b'))
    const readOperation = async (name: string): Promise<[number, number, number]> => {
      const labels = `{group="suite.keelson.dev",operation="${name}",resource="tests"}`
      const metrics = await readMetrics()
      return [
        metrics.get(`etcd_requests_total${labels}`) ?? 0,
        metrics.get(`etcd_request_duration_seconds_count${labels}`) ?? 0,
        metrics.get(`etcd_request_errors_total${labels}`) ?? 0,
      ]
    }
    expect(await readOperation('create')).toEqual([2, 2, 0])
    expect(await readOperation('update')).toEqual([1, 1, 0])
    expect(await readOperation('delete')).toEqual([1, 1, 0])
    const [gets] = await readOperation('get')
    expect(gets).toBeGreaterThanOrEqual(1)
    await catchFailure(storage.get(createKey('ns', 'a'), { signal: AbortSignal.abort() }))
    expect(await readOperation('get')).toEqual([gets + 1, gets + 1, 1])
  })

  test('metrics: count stored objects, undecodable objects, and the objects that a list reads, tests and returns', async (under) => {
    const { storage, prefix, createKey, create, readMetrics } = under
    const { revision } = await create('ns', 'a', { labels: { app: 'x' } })
    await create('ns', 'b')
    const labels = '{group="suite.keelson.dev",resource="tests"}'
    const readListCounters = async (): Promise<number[]> => {
      const metrics = await readMetrics()
      return ['', '_fetched_objects', '_evaluated_objects', '_returned_objects'].map(
        (subject) => metrics.get(`apiserver_storage_list${subject}_total${labels}`) ?? 0,
      )
    }
    const oldCounts = await readListCounters()
    // This request always reads from the driver, because a cache does not answer a list of one key at one version.
    await storage.list(createKey('ns', 'a'), { recursive: false, resourceVersion: String(revision), resourceVersionMatch: 'Exact' })
    expect((await readListCounters()).map((value, i) => value - oldCounts[i]!)).toEqual([1, 1, 1, 1])

    const metrics = await readMetrics()
    const { objectCount, estimatedAverageObjectSize } = await storage.measureStats()
    expect(objectCount).toBe(2)
    expect(metrics.get('apiserver_storage_objects{resource="tests.suite.keelson.dev"}')).toBe(2)
    expect(metrics.get(`apiserver_resource_objects${labels}`)).toBe(2)
    expect(metrics.get(`apiserver_resource_size_estimate_bytes${labels}`)).toBe(2 * estimatedAverageObjectSize)
    expect(metrics.get(`apiserver_storage_decode_errors_total${labels}`)).toBeUndefined()
    await catchFailure(create('ns', 'bad', { text: undecodable }))
    await catchFailure(storage.get(createKey('ns', 'bad')))
    expect((await readMetrics()).get(`apiserver_storage_decode_errors_total${labels}`)).toBeGreaterThanOrEqual(1)
    await storage.deleteUnreadable(createKey('ns', 'bad'))
    expect(await storage.count(prefix)).toBe(2)
  })
}
