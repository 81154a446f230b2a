import type { Item } from '../frame/item.ts'
import { deleteCollectionItem, deleteItem } from './delete-items.ts'
import { createWriteItem } from './write-item.ts'

const requireAtLeast = (value: number): Item['bar'] => ({ type: 'least', value })

export const writeItems: readonly Item[] = [
  createWriteItem({ name: 'create', verb: 'create', size: '3 KB', bar: requireAtLeast(3500) }),
  createWriteItem({ name: 'create-8k', verb: 'create', size: '8 KB', bar: requireAtLeast(2800) }),
  createWriteItem({ name: 'create-etcd', verb: 'create', size: '3 KB', store: 'etcd', bar: requireAtLeast(1400) }),
  createWriteItem({ name: 'create-memory', verb: 'create', size: '3 KB', store: 'memory' }),
  createWriteItem({ name: 'patch-etcd', verb: 'patch', size: '3 KB', store: 'etcd' }),
  createWriteItem({ name: 'update', verb: 'update', size: '3 KB' }),
  createWriteItem({ name: 'patch', verb: 'patch', size: '3 KB', bar: requireAtLeast(2500) }),
  createWriteItem({ name: 'patch-8k', verb: 'patch', size: '8 KB', bar: requireAtLeast(2000) }),
  createWriteItem({ name: 'apply', verb: 'apply', size: '3 KB', bar: requireAtLeast(1200) }),
  createWriteItem({ name: 'apply-8k', verb: 'apply', size: '8 KB', bar: requireAtLeast(1000) }),
  deleteItem,
  deleteCollectionItem,
]
