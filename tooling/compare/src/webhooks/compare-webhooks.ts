import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { setTimeout as wait } from 'node:timers/promises'
import type { Step } from '../cases/case.ts'
import { Random } from '../cases/random.ts'
import { compareMetrics, metricsStep } from '../judge/admission-metrics.ts'
import { findFirstDifference } from '../judge/first-difference.ts'
import type { Difference } from '../judge/first-difference.ts'
import { Normalizer } from '../judge/normalize.ts'
import { cleanUp, findCreatedPath } from '../play/clean-up.ts'
import { createNamespaceSteps } from '../play/run-namespace.ts'
import { explain } from '../play/server.ts'
import type { Answer, Server } from '../play/server.ts'
import { startHookServer } from './hook-server.ts'
import type { HookCall, HookServer } from './hook-server.ts'
import { collections, createExistingObjects, createRandomWrite, thingDefinition } from './random-writes.ts'
import { createRandomWebhooks, fillPlaceholders, hookService } from './random-webhooks.ts'
import type { WebhookSet } from './random-webhooks.ts'

export interface WebhookOptions {
  readonly seed: number
  readonly requests: number
  readonly prefix: string
  /** Number of namespaces, each with its own webhooks, that exist at the same time. Default: 20. */
  readonly setsPerRound?: number
}

export interface DifferentWrite extends Difference {
  readonly step: Step
  /** The webhooks that apply to the write. Undefined for a difference of the metrics. */
  readonly webhooks: WebhookSet | undefined
}

export interface WebhookComparison {
  readonly requests: number
  /** Number of requests that kube-apiserver refused. */
  readonly refused: number
  /** Number of calls of webhooks by kube-apiserver. */
  readonly calls: number
  readonly differences: readonly DifferentWrite[]
}

const group = '/apis/admissionregistration.k8s.io/v1'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const writesPerSet = 14
/** Time until a server calls new webhooks and knows the labels of new namespaces. */
const settleMs = 1000

/** A compared server and its webhooks. */
interface Side {
  readonly server: Server
  readonly hooks: HookServer
}

/**
 * Creates random webhooks, each for a namespace of its own, and compares the responses to random writes and the requests that the webhooks
 * get. A namespace is left after its first difference.
 */
export async function compareWebhooks(
  reference: Server,
  candidate: Server,
  { seed, requests, prefix, setsPerRound = 20 }: WebhookOptions,
): Promise<WebhookComparison> {
  const serviceNamespace = `${prefix}-hooks`
  await using theirHooks = await startHookServer([`${hookService}.${serviceNamespace}.svc`])
  await using ownHooks = await startHookServer([`${hookService}.${serviceNamespace}.svc`])
  const sides: readonly [Side, Side] = [
    { server: reference, hooks: theirHooks },
    { server: candidate, hooks: ownHooks },
  ]
  const random = new Random(seed)
  const total = { requests: 0, refused: 0, calls: 0, differences: [] as DifferentWrite[] }
  try {
    for (const { server } of sides) await prepare(server, serviceNamespace)
    await wait(settleMs)
    for (let round = 0; total.requests < requests; round++) {
      const names = Array.from({ length: setsPerRound }, (_, i) => `${prefix}-${round}-${i}`)
      const sets = new Map<string, WebhookSet>()
      try {
        for (const name of names) sets.set(name, await installSet(sides, name, { random, serviceNamespace }))
        await wait(settleMs)
        const equal: string[] = []
        for (const [name, webhooks] of sets) {
          const playedWrites = await playWrites(sides, name, random)
          total.requests += playedWrites.requests
          total.refused += playedWrites.refused
          total.calls += playedWrites.calls
          if (playedWrites.difference === undefined) equal.push(name)
          else total.differences.push({ ...playedWrites.difference, webhooks })
        }
        const metric = await compareMetrics(reference, candidate, equal)
        if (metric !== undefined) total.differences.push({ ...metric, step: metricsStep, webhooks: undefined })
      } finally {
        for (const { server } of sides) await removeSets(server, [...sets.keys()])
      }
    }
  } finally {
    for (const { server } of sides) await removeNamespace(server, serviceNamespace)
  }
  return total
}

/** Creates the service that leads to the webhooks, and the custom resource, which is kept for later runs. */
async function prepare(server: Server, serviceNamespace: string): Promise<void> {
  const service = { metadata: { name: hookService }, spec: { type: 'ExternalName', externalName: 'localhost' } }
  await server.send({ method: 'POST', path: definitions, body: thingDefinition })
  await send(server, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: serviceNamespace } } })
  await send(server, { method: 'POST', path: `/api/v1/namespaces/${serviceNamespace}/services`, body: service })
}

/** Creates a namespace with objects, and then its webhooks. Tries other webhooks if a server rejects them. */
async function installSet(
  sides: readonly [Side, Side],
  name: string,
  { random, serviceNamespace }: { readonly random: Random; readonly serviceNamespace: string },
): Promise<WebhookSet> {
  for (const { server } of sides) {
    for (const step of [...createNamespaceSteps(name), ...createExistingObjects(name)]) await send(server, step)
  }
  const isInstalled = async (resource: string, configuration: JsonObject): Promise<boolean> => {
    if ((configuration['webhooks'] as readonly unknown[]).length === 0) return true
    const answers = await Promise.all(
      sides.map(({ server, hooks }) =>
        server.send({ method: 'POST', path: `${group}/${resource}`, body: fillPlaceholders(configuration, hooks) }),
      ),
    )
    const [expected, actual] = answers
    if (expected!.code !== actual!.code) {
      const difference = `kube-apiserver answered ${explain(expected!)}, this server ${explain(actual!)}`
      throw new Error(`the servers disagree about creating ${resource}: ${difference}: ${JSON.stringify(configuration)}`)
    }
    return expected!.code === 201
  }
  for (;;) {
    const set = createRandomWebhooks(random, { name, serviceNamespace })
    if (!(await isInstalled('validatingwebhookconfigurations', set.validating))) continue
    if (await isInstalled('mutatingwebhookconfigurations', set.mutating)) return set
    for (const { server } of sides) await cleanUp(server, [`${group}/validatingwebhookconfigurations/${name}`])
  }
}

interface PlayedWrites {
  readonly requests: number
  readonly refused: number
  readonly calls: number
  readonly difference: (Difference & { readonly step: Step }) | undefined
}

/** Sends random writes to the objects of a namespace until the first difference. */
async function playWrites(sides: readonly [Side, Side], name: string, random: Random): Promise<PlayedWrites> {
  const normalizers = sides.map(() => new Normalizer({ sortsManagedFields: true }))
  const created = sides.map(() => new Set<string>())
  const steps = Array.from({ length: writesPerSet }, () => createRandomWrite(random, name))
  let [refused, calls, requests] = [0, 0, 0]
  let difference: PlayedWrites['difference']
  for (const step of steps) {
    const [theirs, own] = await Promise.all(
      sides.map(async ({ server, hooks }, i) => {
        const answer = await server.send(step)
        const path = findCreatedPath(step, answer)
        if (path !== undefined && !path.includes(`/namespaces/${name}/`)) created[i]!.add(path)
        const called = hooks.takeCalls(name)
        return { answer, calls: called, normal: normalize(normalizers[i]!, step, { answer, calls: called, hooks }) }
      }),
    )
    requests++
    calls += theirs!.calls.length
    if (theirs!.answer.code >= 400) refused++
    const [want, got] = [theirs!.normal, own!.normal]
    const foundDifference = findFirstDifference(want.calls, got.calls) ?? findFirstDifference(want.answer, got.answer)
    if (foundDifference === undefined) continue
    difference = { ...foundDifference, step }
    break
  }
  for (const [i, { server }] of sides.entries()) {
    await removeConfigurations(server, name)
    await cleanUp(server, created[i]!)
  }
  return { requests, refused, calls, difference }
}

interface Outcome {
  readonly answer: Answer
  readonly calls: readonly HookCall[]
  readonly hooks: HookServer
}

/** Returns an answer and the calls of webhooks without values that differ from server to server. */
function normalize(
  normalizer: Normalizer,
  step: Step,
  { answer, calls, hooks }: Outcome,
): { readonly answer: Answer; readonly calls: Answer } {
  const removePorts = <Value>(value: Value): Value =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(`:${hooks.port}`, ':<port>')
        .replaceAll(/127\.0\.0\.1:\d+->/g, '127.0.0.1:<port>->'),
    ) as Value
  const wrapped: Answer = { code: 0, type: '', body: { calls: removePorts(sortValidating(calls)) as unknown as JsonValue } }
  return { calls: normalizer.answer(wrapped, step), answer: normalizer.answer(removePorts(answer), step) }
}

/** Sorts successive calls of validating webhooks by path, because they are called at the same time. */
function sortValidating(calls: readonly HookCall[]): readonly HookCall[] {
  const isValidating = ({ path }: HookCall): boolean => /^\/+[^/]+\/+v/.test(path)
  const runs: HookCall[][] = []
  for (const call of calls) {
    const last = runs.at(-1)
    if (last !== undefined && isValidating(call) && isValidating(last[0]!)) last.push(call)
    else runs.push([call])
  }
  return runs.flatMap((run) => run.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)))
}

async function removeConfigurations(server: Server, name: string): Promise<void> {
  const resources = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']
  await cleanUp(
    server,
    resources.map((resource) => `${group}/${resource}/${name}`),
  )
}

/** Removes the webhooks first, because they may refuse deletions. */
async function removeSets(server: Server, names: readonly string[]): Promise<void> {
  for (const name of names) await removeConfigurations(server, name)
  await wait(settleMs)
  for (const name of names) await removeNamespace(server, name)
}

/** Removes the objects of a namespace and the namespace. The server may run without the controller that does it. */
async function removeNamespace(server: Server, name: string): Promise<void> {
  for (const [root, resource] of collections) {
    const path = `${root}/namespaces/${name}/${resource}`
    const list = (await server.get(path)) as unknown as { readonly items: readonly { readonly metadata: { readonly name: string } }[] }
    await cleanUp(
      server,
      list.items.map(({ metadata }) => `${path}/${metadata.name}`),
    )
  }
  await cleanUp(server, [`/api/v1/namespaces/${name}`])
}

async function send(server: Server, step: Step): Promise<void> {
  const answer = await server.send(step)
  if (answer.code !== 201) throw new Error(`${server.url}${step.path}: ${explain(answer)}`)
}
