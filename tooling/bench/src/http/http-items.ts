import type { CacheItem } from '../cache/cache-item.ts'
import { podName, pods } from '../cache/fill-store.ts'
import { latencyItem } from '../cache/latency-item.ts'
import { shareItem } from '../cache/share-item.ts'
import { writeItem } from './write-item.ts'

const usual = { pods: 10_000, configMaps: 0 }
const onePod = `${pods}/${podName(0)}`

/** The whole chain over TLS, against its bars. */
export const httpItems: readonly CacheItem[] = [
  shareItem({ name: 'get', title: 'GET a pod over HTTP/1.1', size: usual, path: onePod, connections: 32, least: 0.5 }),
  shareItem({
    name: 'get-http2',
    title: 'GET a pod over HTTP/2',
    size: usual,
    path: onePod,
    connections: 4,
    atOnce: 8,
    http2: true,
    least: 0.5,
  }),
  latencyItem({
    name: 'get-during-gzip',
    title: 'GET while 4 clients LIST 10,000 pods compressed',
    size: usual,
    busyPath: pods,
    busyConnections: 4,
    busyGzip: true,
    most: 25,
  }),
  writeItem({ name: 'create', least: 3500 }),
  writeItem({ name: 'patch', least: 2500 }),
  writeItem({ name: 'apply', least: 1200 }),
]
