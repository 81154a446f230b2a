import { aggregationItems } from '../aggregation/aggregation-items.ts'
import { establishedItems } from '../custom/established-items.ts'
import { heapGrowthItem } from '../custom/heap-growth-item.ts'
import { customLoadItems } from '../custom/load-items.ts'
import { definitionMemoryItems } from '../custom/memory-items.ts'
import { readyItem } from '../custom/ready-item.ts'
import type { Item } from '../frame/item.ts'
import { registryItems } from '../registry/registry-items.ts'
import { storageItems } from '../storage/storage-items.ts'
import { testingItems } from '../testing/testing-items.ts'
import { admissionItems } from './admission-items.ts'
import { auditItems } from './audit-items.ts'
import { authorizationItems } from './authorization-items.ts'
import { dispatchItem } from './dispatch-item.ts'
import { fairnessItems } from './fairness-items.ts'
import { growthItems } from './growth-items.ts'
import { latencyItems } from './latency-items.ts'
import { limitItem } from './limit-item.ts'
import { memoryItems } from './memory-items.ts'
import { mixedItem } from './mixed-item.ts'
import { readItems } from './read-items.ts'
import { startItems } from './start-items.ts'
import { watchItems } from './watch-items.ts'
import { writeItems } from './write-items.ts'

/** All benchmark items in the order of their measurement. Adjacent items share a server. */
export const allItems: readonly Item[] = [
  ...startItems,
  limitItem,
  ...readItems,
  ...watchItems,
  mixedItem,
  ...latencyItems,
  ...writeItems,
  ...memoryItems,
  ...growthItems,
  ...storageItems,
  dispatchItem,
  ...authorizationItems,
  ...auditItems,
  ...fairnessItems,
  ...admissionItems,
  ...aggregationItems,
  ...customLoadItems,
  ...establishedItems,
  readyItem,
  ...definitionMemoryItems,
  heapGrowthItem,
  ...registryItems,
  ...testingItems,
]
