import { formatPodName, pods } from '../fill-store.ts'
import type { Item } from '../frame/item.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import { defaultDataset } from '../frame/open-bench.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { openWatchedPatches } from './watched-patches.ts'

const get = (path: string): { readonly method: string; readonly path: string } => ({ method: 'GET', path })

/** Item that simulates controllers. One of five requests changes a pod and the others read. Informers watch the changes. */
export const mixedItem: Item = {
  name: 'mixed/controllers',
  title: 'one write to four reads (pages, labels, single pods) of 10,000 pods of 8 KB, 20 clients, 50 informers watching',
  unit: 'requests/s',
  compares: true,
  async open(bench) {
    const server = (await bench.startServer(defaultDataset))!
    const servers = [server, ...(await bench.startComparedServers(defaultDataset))]
    return { sides: servers.map((each) => createLoadSide({ server: each, unit: 'requests/s', load: () => openMixedLoad(each) })) }
  },
}

async function openMixedLoad(server: ServerUnderTest): Promise<Load> {
  return {
    ...(await openWatchedPatches(server, 50)),
    connections: 20,
    pipeline: 1,
    interleavedRequests: [
      { request: get(`${pods}/${formatPodName(1)}`), times: 2 },
      { request: get(`${pods}?limit=100`), times: 1 },
      { request: get(`${pods}?labelSelector=group%3Dgroup-07&resourceVersion=0`), times: 1 },
    ],
  }
}
