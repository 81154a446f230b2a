import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import type { RealDefinition } from '@keelson/tooling-e2e/definitions'
import { setTimeout as wait } from 'node:timers/promises'
import type { Step } from '../cases/case.ts'
import { isObject } from '../cases/locations.ts'
import { findFirstDifference } from '../judge/first-difference.ts'
import type { Difference } from '../judge/first-difference.ts'
import { Normalizer } from '../judge/normalize.ts'
import { playCase } from '../play/play-case.ts'
import type { Pair } from '../play/play-case.ts'
import type { Answer, Server } from '../play/server.ts'
import { parseDefinition } from './definition.ts'
import type { Definition } from './definition.ts'
import { generateObjectCase } from './object-cases.ts'
import { comparePublished } from './published.ts'

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export interface DefinitionDifference extends Difference {
  /** Name of the compared item, for example `object widgets.example.com/3`. */
  readonly item: string
  readonly step: Step
}

export interface DefinitionsResult {
  /** Numbers of compared items by kind: `definition`, `conditions`, `discovery`, `openapi`, `object`. */
  readonly compared: ReadonlyMap<string, number>
  /** Number of objects that kube-apiserver created. */
  readonly created: number
  readonly differences: readonly DefinitionDifference[]
}

export interface DefinitionsOptions {
  readonly seed: number
  readonly objects: number
  progress(text: string): void
}

/**
 * Creates definitions on both servers, with all definitions of a project at the same time, and compares the responses, conditions, discovery,
 * OpenAPI documents and responses to requests for generated objects. Removes the definitions afterwards.
 */
export async function compareDefinitions(
  pair: Pair,
  definitions: readonly RealDefinition[],
  options: DefinitionsOptions,
): Promise<DefinitionsResult> {
  const compared = new Map<string, number>()
  const differences: DefinitionDifference[] = []
  let created = 0
  const judge: Judge = (item, step, difference) => {
    const kind = item.split(' ')[0]!
    compared.set(kind, (compared.get(kind) ?? 0) + 1)
    if (difference !== undefined) differences.push({ ...difference, item, step })
  }
  let seed = options.seed
  for (const [project, members] of Map.groupBy(definitions, ({ project }) => project)) {
    const started = Date.now()
    const definitions = members.map(({ json }) => parseDefinition(json))
    try {
      const established = await compareCreation(pair, definitions, judge)
      await comparePublished(pair, established, judge)
      for (const definition of established)
        for (let index = 0; index < options.objects; index++) {
          const generated = generateObjectCase(definition, seed, index)
          const { difference, answers } = await playCase(pair, generated, { sortsManagedFields: true })
          if (answers[0]?.code === 201) created++
          judge(`object ${generated.id}`, difference?.step ?? generated.steps[0]!, difference)
          seed++
        }
    } finally {
      await Promise.all([pair.reference, pair.candidate].map((server) => removeDefinitions(server, definitions)))
    }
    options.progress(
      `${project}: ${members.length} definitions, ${Math.round((Date.now() - started) / 1000)} s, ${differences.length} differences so far`,
    )
  }
  return { compared, created, differences }
}

/** Counts a compared item, and records its difference if there is one. */
export type Judge = (item: string, step: Step, difference: Difference | undefined) => void

/** Compares the responses to the creation and the conditions. Returns the definitions that both servers have established. */
async function compareCreation({ reference, candidate }: Pair, definitions: readonly Definition[], judge: Judge): Promise<Definition[]> {
  const created: Definition[] = []
  for (const definition of definitions) {
    const step: Step = { method: 'POST', path, body: definition.json }
    const [want, got] = await Promise.all([reference, candidate].map((server) => server.send(step)))
    judge(`definition ${definition.name}`, { ...step, body: '…' }, compareAnswers(want!, got!))
    if (want!.code === 201 && got!.code === 201) created.push(definition)
  }
  const established: Definition[] = []
  for (const definition of created) {
    const step: Step = { method: 'GET', path: `${path}/${definition.name}` }
    const [want, got] = await Promise.all([reference, candidate].map((server) => readSettled(server, step)))
    judge(`conditions ${definition.name}`, step, compareAnswers(want!, got!))
    if (isEstablished(want!.body) && isEstablished(got!.body)) established.push(definition)
  }
  return established
}

function compareAnswers(want: Answer, got: Answer): Difference | undefined {
  const step = { method: 'GET', path }
  return findFirstDifference(new Normalizer().answer(want, step), new Normalizer().answer(got, step))
}

/** Reads a definition when its controllers have finished. */
async function readSettled(server: Server, step: Step): Promise<Answer> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const answer = await server.send(step)
    if (answer.code !== 200 || isSettled(answer.body) || Date.now() > deadline) {
      // A condition can be added shortly after the definition is established.
      await wait(50)
      const response = await server.send(step)
      return { ...response, body: withSortedEntries(response.body) }
    }
    await wait(50)
  }
}

function readConditions(body: JsonValue): JsonObject[] {
  const status = isObject(body) ? body['status'] : undefined
  const conditions = isObject(status) ? status['conditions'] : undefined
  return Array.isArray(conditions) ? conditions.filter(isObject) : []
}

function isEstablished(body: JsonValue): boolean {
  return readConditions(body).some(({ type, status }) => type === 'Established' && status === 'True')
}

function isSettled(body: JsonValue): boolean {
  return (
    (isEstablished(body) && isApprovalChecked(body)) ||
    readConditions(body).some(({ type, status }) => type === 'NamesAccepted' && status === 'False')
  )
}

/** Returns false if the definition still lacks the condition that a controller adds to definitions in groups of the Kubernetes project. */
function isApprovalChecked(body: JsonValue): boolean {
  const spec = isObject(body) ? body['spec'] : undefined
  const group = isObject(spec) ? spec['group'] : undefined
  const isProtected = typeof group === 'string' && /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)
  return !isProtected || readConditions(body).some(({ type }) => type === 'KubernetesAPIApprovalPolicyConformant')
}

/**
 * Sorts the conditions, because controllers of kube-apiserver run concurrently. Sorts the managed fields, because their order depends on
 * whether the controllers finish within the second of the creation.
 */
function withSortedEntries(body: JsonValue): JsonValue {
  if (!isObject(body) || !isObject(body['status']) || !isObject(body['metadata'])) return body
  const { managedFields } = body['metadata']
  return {
    ...body,
    metadata: {
      ...body['metadata'],
      ...(Array.isArray(managedFields) && { managedFields: sortBy(managedFields.filter(isObject), 'manager') }),
    },
    status: { ...body['status'], conditions: sortBy(readConditions(body), 'type') },
  }
}

function sortBy(list: readonly JsonObject[], key: string): JsonObject[] {
  return list.toSorted((a, b) => ((a[key] ?? '') < (b[key] ?? '') ? -1 : 1))
}

async function removeDefinitions(server: Server, definitions: readonly Definition[]): Promise<void> {
  for (const { name } of definitions) await server.send({ method: 'DELETE', path: `${path}/${name}` })
  const deadline = Date.now() + 60_000
  for (const { name } of definitions)
    for (; (await server.send({ method: 'GET', path: `${path}/${name}` })).code !== 404; await wait(100))
      if (Date.now() > deadline) throw new Error(`${server.url} has not removed the definition ${name} after a minute`)
}
