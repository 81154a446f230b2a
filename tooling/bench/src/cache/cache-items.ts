import type { CacheItem } from './cache-item.ts'
import { coldStartItem } from './cold-start-item.ts'
import { dispatchItem } from './dispatch-item.ts'
import { configMaps, podName, pods } from './fill-store.ts'
import { latencyItem } from './latency-item.ts'
import { keptItem, listsUnderWayItem } from './memory-items.ts'
import { selectionItem } from './selection-item.ts'
import { shareItem, watchItem } from './share-item.ts'

const usual = { pods: 10_000, configMaps: 0 }
const many = { pods: 10_000, configMaps: 300_000 }
const large = { pods: 100_000, configMaps: 0 }
const protobuf = 'application/vnd.kubernetes.protobuf'

export const cacheItems: readonly CacheItem[] = [
  shareItem({ name: 'get', title: 'GET a pod', size: usual, path: `${pods}/${podName(0)}`, connections: 32, least: 0.55 }),
  shareItem({ name: 'list', title: 'LIST 10,000 pods as JSON', size: usual, path: pods, connections: 4, least: 0.6 }),
  shareItem({
    name: 'list-protobuf',
    title: 'LIST 10,000 pods as protobuf, stored as JSON',
    size: usual,
    path: pods,
    accept: protobuf,
    connections: 4,
    least: 0.6,
  }),
  shareItem({
    name: 'list-label',
    title: 'LIST 200 of 10,000 pods by a label',
    size: usual,
    path: `${pods}?labelSelector=group%3Dgroup-07`,
    connections: 8,
    least: 0.5,
  }),
  shareItem({ name: 'page', title: 'LIST a page of 500 pods', size: usual, path: `${pods}?limit=500`, connections: 8, least: 0.5 }),
  watchItem({ name: 'watch', title: '500 watches of all pods', size: usual, watchers: 500, least: 0.6 }),
  latencyItem({
    name: 'get-during-lists',
    title: 'GET while 4 clients LIST 10,000 pods',
    size: usual,
    busyPath: pods,
    busyConnections: 4,
    most: 25,
  }),
  latencyItem({
    name: 'get-during-selection',
    title: 'GET while a selector that matches nothing goes over 300,000 objects',
    size: many,
    busyPath: `${configMaps}?labelSelector=nothing`,
    busyConnections: 1,
    most: 25,
  }),
  selectionItem({
    title: 'LIST by a selector that lets none of 300,000 objects through',
    size: many,
    path: `${configMaps}?labelSelector=nothing`,
    mostMilliseconds: 150,
  }),
  dispatchItem({ few: 100, many: 10_000, most: 1.2 }),
  listsUnderWayItem({ size: usual, lists: 10, mostMiB: 100 }),
  coldStartItem({ size: large, mostSeconds: 3 }),
  keptItem({ size: large, factor: 1.3, plusMiB: 150 }),
]
