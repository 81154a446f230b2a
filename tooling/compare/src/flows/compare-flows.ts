import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { setTimeout as wait } from 'node:timers/promises'
import { InstalledObjects, runInParallel } from '../authorization/compare-decisions.ts'
import { isObject } from '../cases/locations.ts'
import { Random } from '../cases/random.ts'
import type { Server } from '../play/server.ts'
import { createFlowVocabulary, createRandomLevel, createRandomRequest, createRandomSchema } from './random-flows.ts'
import type { FlowRequest } from './random-flows.ts'

export interface FlowOptions {
  readonly seed: number
  readonly requests: number
  /** Prefix of the names of all objects. */
  readonly prefix: string
  /** Number of requests between two configurations. */
  readonly round?: number
}

export interface FlowComparison {
  /** Number of requests by flow schema and priority level, where both servers agree. */
  readonly assigned: ReadonlyMap<string, number>
  readonly configurations: number
  readonly differences: readonly { readonly what: JsonObject; readonly want: JsonValue; readonly got: JsonValue }[]
}

const group = '/apis/flowcontrol.apiserver.k8s.io/v1'
const levelsPath = `${group}/prioritylevelconfigurations`
const schemasPath = `${group}/flowschemas`

/**
 * Compares the flow schemas and priority levels that two servers assign to random requests, and the status of the flow schemas. Creates the
 * same random objects on both servers, and replaces them after each round.
 */
export async function compareFlows(reference: Server, candidate: Server, options: FlowOptions): Promise<FlowComparison> {
  const { seed, requests, prefix, round = 200 } = options
  const random = new Random(seed)
  const words = createFlowVocabulary(prefix)
  const differences: FlowComparison['differences'][number][] = []
  const assigned = new Map<string, number>()
  let configurations = 0
  for (let done = 0; done < requests; done += round) {
    // Names are not used again, because servers update the status of a flow schema only a few times in a minute.
    const configuration = `${prefix}-${configurations++}`
    const objects = new InstalledObjects({ reference, candidate })
    try {
      const levels = Array.from({ length: 1 + random.below(4) }, (_, i) => `${configuration}-level${i}`)
      const referable = [...levels, `${prefix}-missing`, 'exempt', 'workload-low', 'catch-all']
      for (const name of levels) await objects.create({ path: levelsPath, name, manifest: createRandomLevel(random, name) })
      for (let i = 2 + random.below(8); i > 0; i--) {
        const name = `${configuration}-schema${i}`
        await objects.create({ path: schemasPath, name, manifest: createRandomSchema(random, words, { name, levels: referable }) })
      }
      // The name comes before those of other schemas with the same precedence.
      const marker = `${configuration}-a`
      await objects.create({ path: schemasPath, name: marker, manifest: createMarker(marker) })
      const names = await Promise.all([reference, candidate].map((server) => waitForConfiguration(server, marker)))
      differences.push(...(await compareConditions(reference, candidate, marker)))
      const sent = Array.from({ length: Math.min(round, requests - done) }, () => createRandomRequest(random, words))
      await runInParallel(sent, async (request) => {
        const [want, got] = await Promise.all([reference, candidate].map((server, i) => findFlow(server, request, names[i]!)))
        if (want === got) assigned.set(want!, (assigned.get(want!) ?? 0) + 1)
        else differences.push({ what: { ...request, groups: [...request.groups] }, want: want!, got: got! })
      })
    } finally {
      await objects.remove()
    }
  }
  return { assigned, configurations, differences }
}

/** Creates a flow schema that only requests of a user of the same name match. */
function createMarker(name: string): JsonObject {
  const rule = { subjects: [{ kind: 'User', user: { name } }], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }
  const spec = { priorityLevelConfiguration: { name: 'catch-all' }, matchingPrecedence: 2, rules: [rule] }
  return { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: { name }, spec }
}

/** The names of objects by uid. Schemas and levels are separate, because a schema and a level often have the same name. */
type Names = Readonly<Record<'schemas' | 'levels', ReadonlyMap<string, string>>>

/** Waits until a server uses the flow schema `marker`, which was created last. Returns the names of all objects. */
async function waitForConfiguration(server: Server, marker: string): Promise<Names> {
  const names = { schemas: await listNames(server, schemasPath), levels: await listNames(server, levelsPath) }
  for (let attempt = 0; attempt < 200; attempt++) {
    const flow = await findFlow(server, { method: 'GET', path: '/version', user: marker, groups: [] }, names)
    if (flow === `${marker} catch-all`) {
      // Waits for the informer of priority levels, which may be later than that of flow schemas.
      await wait(300)
      return names
    }
    await wait(50)
  }
  throw new Error(`${server.url} does not apply a new flow schema`)
}

async function findFlow(server: Server, { method, path, user, groups }: FlowRequest, names: Names): Promise<string> {
  const headers = { 'impersonate-user': user, ...(groups.length > 0 && { 'impersonate-group': [...groups] }) }
  const answer = await server.sendForHeaders(method, path, headers)
  const readName = (header: string, known: ReadonlyMap<string, string>): string => {
    const uid = answer[header]
    return uid === undefined ? 'none' : (known.get(String(uid)) ?? `unknown ${String(uid)}`)
  }
  return `${readName('x-kubernetes-pf-flowschema-uid', names.schemas)} ${readName('x-kubernetes-pf-prioritylevel-uid', names.levels)}`
}

/**
 * Compares the conditions of all flow schemas, and which flow schemas there are. Waits up to five seconds until they are equal and the flow
 * schema `marker` has conditions, because servers write them in the background.
 */
async function compareConditions(reference: Server, candidate: Server, marker: string): Promise<FlowComparison['differences']> {
  for (let attempt = 0; ; attempt++) {
    const [want, got] = (await Promise.all([reference, candidate].map(readConditions))) as [Conditions, Conditions]
    const names = [...new Set([...want.keys(), ...got.keys()])]
    const differing = names.filter((name) => want.get(name) !== got.get(name))
    const isWritten = want.has(marker) && want.get(marker) !== noConditions
    if (differing.length === 0 && isWritten) return []
    if (attempt < 50) {
      await wait(100)
      continue
    }
    const shown = isWritten ? differing : [...new Set([...differing, marker])]
    return shown.map((name) => ({ what: { name }, want: want.get(name) ?? null, got: got.get(name) ?? null }))
  }
}

/** The conditions of flow schemas as text, by name. */
type Conditions = ReadonlyMap<string, string>
const noConditions = '[]'

async function readConditions(server: Server): Promise<Conditions> {
  return new Map((await listObjects(server, schemasPath)).map(describeConditions))
}

function describeConditions({ metadata, status }: JsonObject): [name: string, conditions: string] {
  const conditions = isObject(status) && Array.isArray(status['conditions']) ? (status['conditions'] as JsonObject[]) : []
  const described = conditions.map(({ type, status: value, reason, message }) => ({ type, status: value, reason, message }))
  return [readMetadata({ metadata: metadata! }).name, JSON.stringify(described)]
}

async function listNames(server: Server, path: string): Promise<ReadonlyMap<string, string>> {
  return new Map((await listObjects(server, path)).map(readMetadata).map(({ name, uid }) => [uid, name]))
}

async function listObjects(server: Server, path: string): Promise<JsonObject[]> {
  const list = await server.get(path)
  return isObject(list) ? (list['items'] as JsonObject[]) : []
}

function readMetadata({ metadata }: JsonObject): { readonly name: string; readonly uid: string } {
  return metadata as unknown as { name: string; uid: string }
}
