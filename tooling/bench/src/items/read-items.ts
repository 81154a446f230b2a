import { formatPodName, pods } from '../fill-store.ts'
import { defaultDataset } from '../frame/open-bench.ts'
import type { Item } from '../frame/item.ts'
import { createReadItem } from './read-item.ts'

const onePod = `${pods}/${formatPodName(0)}`
const protobuf = 'application/vnd.kubernetes.protobuf'
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1'
const metadata = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
const share = (least: number): Item['bar'] => ({ type: 'share', least })

export const readItems: readonly Item[] = [
  createReadItem({ name: 'get', title: 'GET a pod of 8 KB, 10 clients', path: onePod, clients: 10, bar: share(0.5) }),
  createReadItem({ name: 'get-1', title: 'GET a pod of 8 KB, 1 client', path: onePod, clients: 1 }),
  createReadItem({ name: 'get-100', title: 'GET a pod of 8 KB, 100 clients', path: onePod, clients: 100 }),
  createReadItem({
    name: 'get-http2',
    title: 'GET a pod of 8 KB over HTTP/2, 4 clients with 8 requests each',
    path: onePod,
    clients: 4,
    atOnce: 8,
    http2: true,
    bar: share(0.5),
  }),
  createReadItem({ name: 'list', title: 'LIST 10,000 pods as JSON', path: pods, clients: 2, bar: share(0.6) }),
  createReadItem({
    name: 'list-protobuf',
    title: 'LIST 10,000 pods as protobuf',
    path: pods,
    clients: 2,
    accept: protobuf,
    bar: share(0.6),
  }),
  createReadItem({ name: 'list-table', title: 'LIST 10,000 pods as a Table', path: pods, clients: 2, accept: table }),
  createReadItem({ name: 'list-metadata', title: 'LIST 10,000 pods, metadata only', path: pods, clients: 2, accept: metadata }),
  createReadItem({ name: 'list-gzip', title: 'LIST 10,000 pods, compressed', path: pods, clients: 2, acceptEncoding: 'gzip' }),
  createReadItem({ name: 'list-http2', only: 'full', title: 'LIST 10,000 pods over HTTP/2', path: pods, clients: 2, http2: true }),
  createReadItem({
    name: 'list-label',
    title: 'LIST 200 of 10,000 pods by a label',
    path: `${pods}?labelSelector=group%3Dgroup-07`,
    clients: 8,
    bar: share(0.5),
  }),
  createReadItem({
    name: 'list-field',
    title: 'LIST 1 of 10,000 pods by a field',
    path: `${pods}?fieldSelector=metadata.name%3D${formatPodName(7)}`,
    clients: 8,
  }),
  createReadItem({ name: 'page', title: 'LIST a page of 500 pods', path: `${pods}?limit=500`, clients: 8, bar: share(0.5) }),
  createReadItem({
    name: 'get-memory',
    only: 'full',
    title: 'GET a pod of 8 KB, 10 clients, store in memory',
    path: onePod,
    clients: 10,
    store: 'memory',
    size: { ...defaultDataset, pods: 1000 },
  }),
  createReadItem({
    name: 'get-etcd',
    only: 'full',
    title: 'GET a pod of 8 KB, 10 clients, on etcd',
    path: onePod,
    clients: 10,
    store: 'etcd',
    size: { ...defaultDataset, pods: 1000 },
  }),
]
