import { embeddedCreate, lmdbPut } from './durable-loads.ts'
import { etcdLoad } from './etcd-loads.ts'
import { walk, watches } from './memory-loads.ts'
import type { OpenLoad } from './storage-job.ts'

/** Loads by name. `storage-items.ts` uses these names. */
export const loads: Readonly<Record<string, OpenLoad>> = {
  'embedded create 32': embeddedCreate(32),
  'lmdb put 32': lmdbPut(32),
  'embedded create 1': embeddedCreate(1),
  'lmdb put 1': lmdbPut(1),
  'etcd create 32': etcdLoad('ours', 'create', 32),
  'etcd3 create 32': etcdLoad('bare', 'create', 32),
  'etcd create 1': etcdLoad('ours', 'create', 1),
  'etcd3 create 1': etcdLoad('bare', 'create', 1),
  'etcd get 32': etcdLoad('ours', 'get', 32),
  'etcd3 get 32': etcdLoad('bare', 'get', 32),
  'etcd get 1': etcdLoad('ours', 'get', 1),
  'etcd3 get 1': etcdLoad('bare', 'get', 1),
  'snapshot walk': walk('ours'),
  'array walk': walk('bare'),
  '1000 watches': watches(1000),
  '10 watches': watches(10),
}
