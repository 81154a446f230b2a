import type { Item } from '../frame/item.ts'
import { deleteCollectionItem, deleteItem } from './delete-items.ts'
import { writeItem } from './write-item.ts'

const least = (value: number): Item['bar'] => ({ type: 'least', value })

export const writeItems: readonly Item[] = [
  writeItem({ name: 'create', verb: 'create', size: '3 KB', bar: least(3500) }),
  writeItem({ name: 'create-8k', verb: 'create', size: '8 KB', bar: least(2800) }),
  writeItem({ name: 'create-etcd', verb: 'create', size: '3 KB', store: 'etcd', bar: least(1400) }),
  writeItem({ name: 'create-memory', verb: 'create', size: '3 KB', store: 'memory' }),
  writeItem({ name: 'patch-etcd', verb: 'patch', size: '3 KB', store: 'etcd' }),
  writeItem({ name: 'update', verb: 'update', size: '3 KB' }),
  writeItem({ name: 'patch', verb: 'patch', size: '3 KB', bar: least(2500) }),
  writeItem({ name: 'patch-8k', verb: 'patch', size: '8 KB', bar: least(2000) }),
  writeItem({ name: 'apply', verb: 'apply', size: '3 KB', bar: least(1200) }),
  writeItem({ name: 'apply-8k', verb: 'apply', size: '8 KB', bar: least(1000) }),
  deleteItem,
  deleteCollectionItem,
]
