import { openEtcd3 } from '@keelson/backend-etcd3'
import { CompareResult, CompareTarget, Etcd3 } from 'etcd3'
import type { OpenLoad, StorageJob } from './storage-job.ts'
import { createValues, buildKey } from './values.ts'

const prepared = 1000

type Pair = {
  create(key: string, value: Buffer): Promise<boolean>
  get(key: string): Promise<boolean>
  close(): PromiseLike<void> | void
}

async function openKeelsonPair(etcd: string): Promise<Pair> {
  const store = await openEtcd3({ transport: { serverList: [etcd] }, compactionInterval: 0 })
  return {
    create: async (key, value) =>
      (await store.commit({ compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value }] })).committed,
    get: async (key) => (await store.get(key)).entry !== undefined,
    close: () => store[Symbol.asyncDispose](),
  }
}

/** Creates operations that call etcd3's typed client. They send the same requests as Keelson's etcd store. */
function openBarePair(etcd: string): Pair {
  const client = new Etcd3({ hosts: etcd })
  return {
    async create(key, value) {
      const bytes = Buffer.from(key)
      const answer = await client.kv.txn({
        compare: [{ key: bytes, target: CompareTarget.Mod, result: CompareResult.Equal, mod_revision: 0 }],
        success: [{ request_put: { key: bytes, value } }],
        failure: [{ request_range: { key: bytes } }],
      })
      return answer.succeeded
    },
    get: async (key) => (await client.kv.range({ key: Buffer.from(key) })).kvs.length === 1,
    close: () => client.close(),
  }
}

export function createEtcdLoad(driver: 'ours' | 'bare', operation: 'create' | 'get', inFlight: number): OpenLoad {
  return async (job: StorageJob) => {
    if (job.etcd === undefined) throw new Error('the job has no etcd')
    const pair = await (driver === 'ours' ? openKeelsonPair(job.etcd) : openBarePair(job.etcd))
    const value = createValues()
    if (operation === 'get') for (let n = 0; n < prepared; n++) await pair.create(buildKey(job.run, n), value(n))
    return {
      inFlight,
      async runOnce(n) {
        const done = operation === 'get' ? pair.get(buildKey(job.run, n % prepared)) : pair.create(buildKey(job.run, n), value(n))
        if (!(await done)) throw new Error(`${operation} ${n} failed`)
      },
      [Symbol.asyncDispose]: async () => pair.close(),
    }
  }
}
