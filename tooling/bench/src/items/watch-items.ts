import { fanOutItem, orderItem } from './fan-out-item.ts'
import type { Item } from '../frame/item.ts'
import { watchListItem } from './watch-list-item.ts'

export const watchItems: readonly Item[] = [
  fanOutItem({ watchers: 1 }),
  fanOutItem({ watchers: 100 }),
  fanOutItem({ watchers: 500, bar: { type: 'share', least: 0.6 } }),
  fanOutItem({ watchers: 2000 }),
  orderItem,
  watchListItem,
]
