import { pods } from '../fill-store.ts'
import { defaultDataset } from '../frame/open-bench.ts'
import type { Load } from '../frame/load-side.ts'
import { ask } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { touched } from './pod-writes.ts'

let runs = 0

/**
 * Returns a load that patches existing pods one after the other while watches are open. The watches start at the newest resource version
 * and stay open, so that they only receive events of this run.
 */
export async function openWatchedPatches(server: ServerUnderTest, streams: number): Promise<Pick<Load, 'request' | 'watch'>> {
  const now = await ask(server, 'GET', `${pods}?limit=1`)
  const { resourceVersion } = (JSON.parse(now.body.toString()) as { metadata: { resourceVersion: string } }).metadata
  return {
    request: {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      path: `${pods}/pod-{n}`,
      digits: 6,
      modulo: defaultDataset.pods,
      body: JSON.stringify({ metadata: { annotations: { [touched]: `${runs++}-{i}` } } }),
    },
    watch: { path: `${pods}?watch=1&resourceVersion=${resourceVersion}`, streams, keep: true },
  }
}
