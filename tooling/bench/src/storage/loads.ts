import { createEmbeddedLoad, createLmdbLoad } from './durable-loads.ts'
import { createEtcdLoad } from './etcd-loads.ts'
import { walk, createWatchLoad } from './memory-loads.ts'
import type { OpenLoad } from './storage-job.ts'

/** Loads by name. `storage-items.ts` uses these names. */
export const loads: Readonly<Record<string, OpenLoad>> = {
  'embedded create 32': createEmbeddedLoad(32),
  'lmdb put 32': createLmdbLoad(32),
  'embedded create 1': createEmbeddedLoad(1),
  'lmdb put 1': createLmdbLoad(1),
  'etcd create 32': createEtcdLoad('ours', 'create', 32),
  'etcd3 create 32': createEtcdLoad('bare', 'create', 32),
  'etcd create 1': createEtcdLoad('ours', 'create', 1),
  'etcd3 create 1': createEtcdLoad('bare', 'create', 1),
  'etcd get 32': createEtcdLoad('ours', 'get', 32),
  'etcd3 get 32': createEtcdLoad('bare', 'get', 32),
  'etcd get 1': createEtcdLoad('ours', 'get', 1),
  'etcd3 get 1': createEtcdLoad('bare', 'get', 1),
  'snapshot walk': walk('ours'),
  'array walk': walk('bare'),
  '1000 watches': createWatchLoad(1000),
  '10 watches': createWatchLoad(10),
}
