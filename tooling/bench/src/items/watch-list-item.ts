import { pods } from '../fill-store.ts'
import type { Item } from '../frame/item.ts'
import { createLoadSide } from '../frame/load-side.ts'
import { defaultDataset } from '../frame/open-bench.ts'

/** Item that measures the first request of an informer. The response contains all objects as events, then a bookmark. */
export const watchListItem: Item = {
  name: 'watch/list',
  title: 'initial events of 4 watch-lists of 10,000 pods',
  unit: 'events/s',
  compares: true,
  async open(bench) {
    const server = (await bench.startServer(defaultDataset))!
    const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan'
    return {
      sides: [server, ...(await bench.startComparedServers(defaultDataset))].map((each) =>
        createLoadSide({
          server: each,
          unit: 'events/s',
          value: ({ events, watchSeconds }) => events / watchSeconds,
          load: () => ({
            connections: 1,
            pipeline: 1,
            count: 1,
            request: { method: 'GET', path: '/version' },
            watch: { path: `${pods}?${query}`, streams: 4 },
          }),
        }),
      ),
    }
  },
}
