import { createFanOutItem, orderItem } from './fan-out-item.ts'
import type { Item } from '../frame/item.ts'
import { watchListItem } from './watch-list-item.ts'

export const watchItems: readonly Item[] = [
  createFanOutItem({ watchers: 1 }),
  createFanOutItem({ watchers: 100 }),
  createFanOutItem({ watchers: 500, bar: { type: 'share', least: 0.6 } }),
  createFanOutItem({ watchers: 2000 }),
  orderItem,
  watchListItem,
]
