import { measure } from '../measure.ts'
import type { Measurement } from '../measure.ts'
import type { LoadJob } from '../load-job.ts'
import { ask, startBare } from '../server-under-test.ts'
import { middleOf } from '../storage/storage-verdict.ts'
import type { CacheBench, CacheFigure, CacheItem } from './cache-item.ts'
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
  /** Of bare. */
  readonly least: number
}

/** Requests answered per second, as a share of what bare answers with the same bytes. */
export function shareItem({ name, title, size, path, accept, connections, least }: ShareOptions): CacheItem {
  return {
    name,
    title,
    async run(bench) {
      const server = await bench.server(size)
      const sample = await ask(server, 'GET', path, undefined, accept === undefined ? {} : { accept })
      if (sample.status !== 200) throw new Error(`${path} answered ${sample.status}: ${sample.body.toString()}`)
      await using bare = await startBare(bench.scratch, { body: sample.body })
      const load: Load = { connections, pipeline: 1, request: { method: 'GET', path, ...(accept === undefined ? {} : { accept }) } }
      const seconds = bench.seconds
      return await inTurns(
        bench,
        { least, unit: `answers of ${sample.body.length.toLocaleString('en')} bytes` },
        {
          ours: () => measure(server, { ...load, seconds }, false),
          bare: () => measure(bare, { ...load, seconds }, false),
        },
      )
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
      return await inTurns(
        bench,
        { least, unit: `events of ${event.length.toLocaleString('en')} bytes` },
        {
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
        },
      )
    },
  }
}

const busy = 0.9

async function inTurns(
  { rounds }: CacheBench,
  { least, unit }: { readonly least: number; readonly unit: string },
  run: { ours(): Promise<Measurement>; bare(): Promise<Measurement> },
): Promise<CacheFigure> {
  // Not measured: the first of anything is slower.
  await run.ours()
  await run.bare()
  const pairs: { readonly ours: Measurement; readonly bare: Measurement }[] = []
  for (let round = 0; round < rounds; round++) {
    // In each round the other one first: a machine that slows down or speeds up favours neither.
    if (round % 2 === 0) {
      const ours = await run.ours()
      pairs.push({ ours, bare: await run.bare() })
    } else {
      const bare = await run.bare()
      pairs.push({ ours: await run.ours(), bare })
    }
  }
  const counted = pairs.filter(({ ours, bare }) => counts(ours) && counts(bare))
  const used = counted.length > 0 ? counted : pairs
  const share = middleOf(used.map(({ ours, bare }) => ours.perSecond / bare.perSecond))
  const byCpu = middleOf(pairs.map(({ ours, bare }) => (bare.serverCpu ?? NaN) / (ours.serverCpu ?? NaN)))
  const shares = used.map(({ ours, bare }) => percent(ours.perSecond / bare.perSecond)).join(', ')
  const lines = [
    unit,
    row(
      'ours',
      pairs.map(({ ours }) => ours),
    ),
    row(
      'bare',
      pairs.map(({ bare }) => bare),
    ),
    `rounds that count: ${counted.length} of ${pairs.length} (${shares}); by processor time ${percent(byCpu)}`,
  ]
  const wanted = `at least ${percent(least)} of bare`
  // Where the client cannot take as much as bare has to give, rates say more of the client: what each answer costs the server is left to go by.
  if (counted.length === 0) {
    return { lines, wanted, reached: `${percent(byCpu)} by processor time, for the client was the busy side`, met: byCpu >= least }
  }
  return { lines, wanted, reached: percent(share), met: share >= least }
}

function counts({ serverCores = 0, clientCores }: Measurement): boolean {
  return serverCores >= busy && clientCores < busy
}

function row(name: string, figures: readonly Measurement[]): string {
  const middle = (pick: (figure: Measurement) => number | undefined, digits: number): string =>
    middleOf(figures.map((figure) => pick(figure) ?? NaN)).toFixed(digits)
  const perSecond = middleOf(figures.map((figure) => figure.perSecond))
  return [
    `  ${name}  ${perSecond.toFixed(perSecond < 100 ? 2 : 0).padStart(8)} /s`,
    `${middle((f) => f.megabytesPerSecond, 0).padStart(5)} MB/s`,
    `p50 ${middle((f) => f.p50, 2)} ms  p99 ${middle((f) => f.p99, 2)} ms`,
    `cpu ${middle((f) => f.serverCpu, 3)} ms each`,
    `cores ${middle((f) => f.serverCores, 2)} client ${middle((f) => f.clientCores, 2)}`,
    `RssAnon ${middle((f) => f.rssAnonMiB, 0)} MiB, peak RSS ${middle((f) => f.peakRssMiB, 0)} MiB`,
  ].join('  ')
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
