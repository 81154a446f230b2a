import { openEtcd3 } from '@keelson/backend-etcd3'
import { openCachedStorage } from '@keelson/cacher/testing'
import { createObjectStore } from '@keelson/storagebackend'
import { describeBackend, describeStorage, putInto } from '@keelson/storagebackend/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'

const binary = findEtcd()

describe.skipIf(binary === undefined)('on a real etcd', () => {
  let etcd: EtcdProcess
  beforeAll(async () => void (etcd = await startEtcd(binary ?? '')))
  afterAll(() => etcd[Symbol.asyncDispose]())

  const open = (pageSize = 10_000): ReturnType<typeof openEtcd3> =>
    openEtcd3({ transport: { serverList: [etcd.url] }, compactionInterval: 0, pageSize })

  describeBackend('etcd3', async () => ({ backend: await open() }))

  // Uses small pages, so that even a list of a few objects needs several pages.
  describeStorage('etcd3', async (request) => {
    const backend = await open(3)
    return {
      storage: createObjectStore({ ...request, backend }),
      put: putInto(backend),
      compact: (revision) => backend.compact(revision),
      requestProgress: () => backend.requestProgress(),
      close: () => backend[Symbol.asyncDispose](),
    }
  })

  describeStorage('cacher over etcd3', async (request) => openCachedStorage(request, { backend: await open() }))
})
