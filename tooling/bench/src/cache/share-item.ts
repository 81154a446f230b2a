import { measure } from '../measure.ts'
import type { LoadJob } from '../load-job.ts'
import { inTurns, shareFigure } from '../in-turns.ts'
import { ask, startBare } from '../server-under-test.ts'
import type { CacheItem } from './cache-item.ts'
import { pods } from './fill-store.ts'
import type { DatasetSize } from './fill-store.ts'

type Load = Omit<LoadJob, 'url' | 'token' | 'seconds'>

export interface ShareOptions {
  readonly name: string
  readonly title: string
  readonly size: DatasetSize
  readonly path: string
  readonly accept?: string
  readonly connections: number
  /** On each connection. Default: one. */
  readonly atOnce?: number
  /** Also of bare. Default: HTTP/1.1. */
  readonly http2?: boolean
  /** Of bare. */
  readonly least: number
}

/** Requests answered per second, as a share of what bare answers with the same bytes. */
export function shareItem(options: ShareOptions): CacheItem {
  const { name, title, size, path, accept, connections, atOnce = 1, http2 = false, least } = options
  return {
    name,
    title,
    async run(bench) {
      const server = await bench.server(size)
      const sample = await ask(server, 'GET', path, undefined, accept === undefined ? {} : { accept })
      if (sample.status !== 200) throw new Error(`${path} answered ${sample.status}: ${sample.body.toString()}`)
      await using bare = await startBare(bench.scratch, { body: sample.body, ...(http2 ? { kind: 'http2' } : {}) })
      const request = { method: 'GET', path, ...(accept === undefined ? {} : { accept }) }
      const load: Load = { connections, pipeline: atOnce, http2, request }
      const seconds = bench.seconds
      const pairs = await inTurns(bench.rounds, {
        ours: () => measure(server, { ...load, seconds }, false),
        bare: () => measure(bare, { ...load, seconds }, false),
      })
      return shareFigure(pairs, { least, unit: `answers of ${sample.body.length.toLocaleString('en')} bytes` })
    },
  }
}

/** Events delivered per second to watches of all pods while pods are patched, as a share of the same bytes written to as many bare sockets. */
export function watchItem(options: {
  readonly name: string
  readonly title: string
  readonly size: DatasetSize
  readonly watchers: number
  readonly least: number
}): CacheItem {
  const { name, title, size, watchers, least } = options
  return {
    name,
    title,
    async run(bench) {
      const server = await bench.server(size)
      const { body } = await ask(server, 'GET', `${pods}?limit=1`)
      const list = JSON.parse(body.toString()) as { items: object[] }
      const event = Buffer.from(`{"type":"MODIFIED","object":${JSON.stringify({ kind: 'Pod', apiVersion: 'v1', ...list.items[0] })}}\n`)
      await using bare = await startBare(bench.scratch, { body: event })
      const seconds = bench.seconds
      const version = async (): Promise<string> => {
        const now = await ask(server, 'GET', `${pods}?limit=1`)
        return (JSON.parse(now.body.toString()) as { metadata: { resourceVersion: string } }).metadata.resourceVersion
      }
      let run = 0
      const patch = (): LoadJob['request'] => ({
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        path: `${pods}/pod-00{n}`,
        firstNumber: 1000,
        body: JSON.stringify({ metadata: { annotations: { 'example.com/touched': `${run++}` } } }),
      })
      // So many that the server is never idle while one is written to disk.
      const changes = { connections: 32, pipeline: 1 }
      const pairs = await inTurns(bench.rounds, {
        ours: async () =>
          measure(
            server,
            {
              ...changes,
              seconds,
              request: patch(),
              watch: { path: `${pods}?watch=1&resourceVersion=${await version()}`, streams: watchers },
            },
            true,
          ),
        bare: () =>
          measure(
            bare,
            {
              ...changes,
              seconds,
              request: { method: 'POST', path: '/emit', contentType: 'application/json', body: '{}' },
              watch: { path: '/?watch=1', streams: watchers },
            },
            true,
          ),
      })
      return shareFigure(pairs, { least, unit: `events of ${event.length.toLocaleString('en')} bytes` })
    },
  }
}
