import type { BenchOptions } from './bench-options.ts'
import { measure, runClient } from './measure.ts'
import type { Measurement } from './measure.ts'
import { namespace, samplePod } from './sample-pod.ts'
import { ask, startBare } from './server-under-test.ts'
import type { Scratch, ServerUnderTest } from './server-under-test.ts'
import type { WorkItem } from './work-items.ts'

export interface ItemResult {
  readonly item: string
  readonly title: string
  readonly unit: 'requests' | 'events'
  readonly answerBytes: number
  /** For each server the round in the middle, by speed; bare is one of them. */
  readonly servers: readonly ServerResult[]
}

interface ServerResult {
  readonly middle: Measurement
  readonly shareOfBare: number
  /** The same by processor time, which other load on the machine disturbs less. */
  readonly cpuShareOfBare: number | undefined
  /** Per second, in the order of the rounds. */
  readonly rounds: readonly number[]
}

/** Namespaces and pods that get, list, patch and watch work on. Those that are there already are taken. */
export async function prepare(server: ServerUnderTest, options: BenchOptions): Promise<void> {
  for (const name of [namespace, `${namespace}-create`]) {
    await expectMade(
      ask(server, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
      `namespace ${name}`,
    )
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
    await expectMade(ask(server, 'POST', `/api/v1/namespaces/${name}/serviceaccounts`, account), `service account in ${name}`)
  }
  const result = await runClient({
    url: server.url,
    token: server.token,
    connections: 32,
    pipeline: 1,
    seconds: 600,
    count: options.objects,
    request: {
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/pods`,
      contentType: 'application/json',
      body: JSON.stringify(samplePod('pod-{n}', options.objectBytes)),
    },
  })
  if (result.failures > 0 && result.firstFailure !== 409)
    throw new Error(`${server.name}: creating pods failed with ${result.firstFailure}`)
}

async function expectMade(answer: ReturnType<typeof ask>, what: string): Promise<void> {
  const { status, body } = await answer
  if (status >= 300 && status !== 409) throw new Error(`${what} could not be made: ${status} ${body.toString().slice(0, 300)}`)
}

let runs = Date.now() % 1_000_000

/** All rounds of one item, the servers in turns, with a bare server that gives the first server's answer. */
export async function runItem(
  item: WorkItem,
  servers: readonly ServerUnderTest[],
  scratch: Scratch,
  options: BenchOptions,
): Promise<ItemResult> {
  const sample = await ask(servers[0]!, item.sample.method, item.sample.path)
  if (sample.status !== 200) throw new Error(`${item.sample.path} answered ${sample.status}`)
  // A watch event is the object in an envelope, and a line.
  const body =
    item.countsEvents === true ? Buffer.concat([Buffer.from('{"type":"MODIFIED","object":'), sample.body, Buffer.from('}\n')]) : sample.body
  await using bare = await startBare(scratch, { body, ...(item.status !== undefined && { status: item.status }) })
  const all = [bare, ...servers]
  const rounds = new Map<string, Measurement[]>(all.map((server) => [server.name, []]))
  for (let round = 0; round < options.rounds; round++) {
    for (const server of all) {
      const load = server === bare ? (item.bareLoad?.(options) ?? item.load(options, 0)) : item.load(options, runs++)
      const seconds = options.seconds
      rounds.get(server.name)!.push(await measure(server, { ...(await atNow(load, server)), seconds }, item.countsEvents === true))
    }
  }
  const results = all.map((server) => resultOf(rounds.get(server.name)!))
  const bareFigures = results[0]!.middle
  return {
    item: item.name,
    title: item.title,
    unit: item.countsEvents === true ? 'events' : 'requests',
    answerBytes: body.length,
    servers: results.map(({ middle, ...result }) => ({
      middle,
      rounds: result.rounds,
      shareOfBare: middle.perSecond / bareFigures.perSecond,
      cpuShareOfBare: middle.serverCpu === undefined ? undefined : bareFigures.serverCpu! / middle.serverCpu,
    })),
  }
}

function resultOf(rounds: readonly Measurement[]): Pick<ServerResult, 'middle' | 'rounds'> {
  const sorted = rounds.toSorted((a, b) => a.perSecond - b.perSecond)
  return { middle: sorted[Math.floor((sorted.length - 1) / 2)]!, rounds: rounds.map((m) => m.perSecond) }
}

/** A watch begins at the newest version, so that it shows only what the run does. */
async function atNow<L extends ReturnType<WorkItem['load']>>(load: L, server: ServerUnderTest): Promise<L> {
  if (load.watch === undefined || !load.watch.path.includes('{rv}')) return load
  const list = await ask(server, 'GET', `/api/v1/namespaces/${namespace}/pods?limit=1`)
  const { resourceVersion } = (JSON.parse(list.body.toString()) as { metadata: { resourceVersion: string } }).metadata
  return { ...load, watch: { ...load.watch, path: load.watch.path.replace('{rv}', resourceVersion) } }
}

/** Hono must not be what limits the bare server. By processor time per request, the least of three: other load does not change that. */
export async function checkBare(scratch: Scratch, options: BenchOptions): Promise<number> {
  const body = Buffer.alloc(8192, 'x')
  await using bare = await startBare(scratch, { body })
  await using raw = await startBare(scratch, { body, kind: 'raw' })
  const least = { bare: Infinity, raw: Infinity }
  const load = { connections: 16, pipeline: 8, seconds: Math.min(3, options.seconds), request: { method: 'GET', path: '/' } }
  for (let round = 0; round < 3; round++) {
    least.bare = Math.min(least.bare, (await measure(bare, load, false)).serverCpu!)
    least.raw = Math.min(least.raw, (await measure(raw, load, false)).serverCpu!)
  }
  return least.raw / least.bare
}
