import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../cases/random.ts'
import { isObject } from '../cases/locations.ts'
import { cleanUp } from '../play/clean-up.ts'
import { explain } from '../play/server.ts'
import type { Server } from '../play/server.ts'
import { createNodeVocabulary, createNodeObjects, createRandomNodeRequest, createRandomPod } from './random-nodes.ts'
import type { NodeVocabulary } from './random-nodes.ts'
import {
  createBinding,
  createClusterRole,
  createVocabulary,
  paths,
  createRandomBinding,
  createRandomRole,
  resourceNames,
  subresources,
  verbs,
} from './random-policy.ts'
import type { PolicyObject, Vocabulary } from './random-policy.ts'

export interface DecisionOptions {
  readonly seed: number
  readonly decisions: number
  /** Prefix of the names of all objects. */
  readonly prefix: string
  /** Number of decisions between two changes of the roles, bindings and pods. */
  readonly round?: number
}

export interface DifferentDecision {
  readonly spec: JsonObject
  readonly want: JsonValue
  readonly got: JsonValue
}

export interface DecisionComparison {
  readonly decisions: number
  /** Number of requests that both servers allowed. */
  readonly allowed: number
  readonly differences: readonly DifferentDecision[]
}

interface Pair {
  readonly reference: Server
  readonly candidate: Server
}

const reviewsInFlight = 16
const reviewPath = '/apis/authorization.k8s.io/v1/subjectaccessreviews'

/**
 * Compares the authorization decisions of two servers on random requests. Creates the same random roles, bindings, nodes and pods on both
 * servers.
 */
export async function compareDecisions(reference: Server, candidate: Server, options: DecisionOptions): Promise<DecisionComparison> {
  const { seed, decisions, prefix, round = 5000 } = options
  const random = new Random(seed)
  const words = createVocabulary(prefix)
  const nodes = createNodeVocabulary(prefix)
  const policy = new InstalledObjects({ reference, candidate })
  const differences: DifferentDecision[] = []
  let allowed = 0
  try {
    for (const name of words.namespaces)
      await policy.create({ path: '/api/v1/namespaces', name, manifest: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } })
    for (const { namespace, name } of words.accounts) {
      const manifest = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }
      await policy.create({ path: `/api/v1/namespaces/${namespace}/serviceaccounts`, name, manifest })
    }
    for (const object of createNodeObjects(random, nodes, words)) await policy.create(object)
    for (let done = 0; done < decisions;) {
      await changePolicy(random, policy, { words, nodes, isFirst: done === 0 })
      await settle({ reference, candidate }, policy, `${prefix}-marker${done}`)
      const specs = Array.from({ length: Math.min(round, decisions - done) }, () => createRandomSpec(random, words, nodes))
      done += specs.length
      await runInParallel(specs, async (spec) => {
        const [want, got] = await Promise.all([decide(reference, spec), decide(candidate, spec)])
        if (JSON.stringify(want) !== JSON.stringify(got)) differences.push({ spec, want, got })
        else if (want['allowed'] === true) allowed++
      })
    }
  } finally {
    await policy.remove()
  }
  return { decisions, allowed, differences }
}

interface PolicyChange {
  readonly words: Vocabulary
  readonly nodes: NodeVocabulary
  readonly isFirst: boolean
}

async function changePolicy(random: Random, policy: InstalledObjects, { words, nodes, isFirst }: PolicyChange): Promise<void> {
  for (let i = 0; i < (isFirst ? 60 : 10); i++) await policy.put(createRandomRole(random, words))
  for (let i = 0; i < (isFirst ? 80 : 15); i++)
    await policy.put(createRandomBinding(random, words, `${words.namespaces[0]}-binding${random.below(150)}`))
  for (let i = 0; i < (isFirst ? 12 : 4); i++) await policy.put(createRandomPod(random, nodes, { words, name: `pod-${random.below(16)}` }))
}

/** The objects of a run, which exist on both servers. Removes the objects at the end. */
export class InstalledObjects {
  readonly #pair: Pair
  readonly #paths = new Set<string>()

  constructor(pair: Pair) {
    this.#pair = pair
  }

  /** Creates an object on both servers. Throws if a server rejects it. */
  async create({ path, name, manifest }: PolicyObject): Promise<void> {
    for (const server of [this.#pair.reference, this.#pair.candidate]) {
      const answer = await server.send({ method: 'POST', path, body: manifest })
      // A controller may have created a default service account.
      if (answer.code !== 201 && answer.code !== 409) throw new Error(`${server.url}${path}/${name}: ${explain(answer)}`)
    }
    this.#paths.add(`${path}/${name}`)
  }

  /** Creates an object on both servers. Deletes an existing object of the same name first. */
  async put(object: PolicyObject): Promise<void> {
    const path = `${object.path}/${object.name}`
    if (this.#paths.has(path)) {
      for (const server of [this.#pair.reference, this.#pair.candidate]) await cleanUp(server, [path])
    }
    await this.create(object)
  }

  async remove(): Promise<void> {
    for (const server of [this.#pair.reference, this.#pair.candidate]) await cleanUp(server, [...this.#paths].toReversed())
  }
}

/**
 * Waits until both authorizers know the latest objects. Creates a marker role and binding and waits until they have an effect. Then waits
 * one second for informers of other kinds.
 */
async function settle({ reference, candidate }: Pair, policy: InstalledObjects, marker: string): Promise<void> {
  await policy.create(createClusterRole(marker, [{ verbs: ['get'], apiGroups: [''], resources: ['markers'] }]))
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: marker }]
  await policy.create(createBinding(marker, { roleRef: { kind: 'ClusterRole', name: marker }, subjects, namespace: undefined }))
  const spec = { user: marker, resourceAttributes: { verb: 'get', resource: 'markers' } }
  for (const server of [reference, candidate]) {
    for (let attempt = 0; (await decide(server, spec))['allowed'] !== true; attempt++) {
      if (attempt === 200) throw new Error(`${server.url} does not apply a new binding`)
      await wait(50)
    }
  }
  await wait(1000)
}

function createRandomSpec(random: Random, words: Vocabulary, nodes: NodeVocabulary): JsonObject {
  if (random.chance(0.25)) {
    const name = random.chance(0.95) ? random.pick(nodes.nodes) : random.pick(['', 'unknown'])
    const groups = random.chance(0.95) ? ['system:nodes', 'system:authenticated'] : ['system:authenticated']
    return { user: `system:node:${name}`, groups, resourceAttributes: createRandomNodeRequest(random, nodes, words) }
  }
  const asAccount = random.chance(0.3)
  const account = random.pick(words.accounts)
  const user = asAccount ? `system:serviceaccount:${account.namespace}:${account.name}` : random.pick([...words.users, 'compare-stranger'])
  const accountGroups = ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`, 'system:authenticated']
  const groups = asAccount
    ? accountGroups
    : [...words.groups.filter(() => random.chance(0.2)), ...(random.chance(0.5) ? ['system:authenticated'] : [])]
  const verb = random.pick(verbs)
  if (random.chance(0.15)) {
    const path = random.pick([...paths, '/healthz/etcd', '/logs/kube/x', '/nosuch', 'metrics'])
    return { user, groups, nonResourceAttributes: { path, verb } }
  }
  const { apiGroup, resource } = random.pick(resourceNames)
  return {
    user,
    groups,
    resourceAttributes: {
      verb,
      group: apiGroup,
      resource,
      ...(random.chance(0.2) && { subresource: random.pick(subresources) }),
      ...(random.chance(0.8) && { namespace: random.pick([...words.namespaces, 'default']) }),
      ...(random.chance(0.4) && { name: random.pick([...words.objects, 'four']) }),
    },
  }
}

/**
 * Returns the status of a SubjectAccessReview. Shortens the reason of an allowed request, because kube-apiserver names a random one of
 * several bindings.
 */
async function decide(server: Server, spec: JsonObject): Promise<JsonObject> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }
  const answer = await server.send({ method: 'POST', path: reviewPath, body })
  const status = isObject(answer.body) ? answer.body['status'] : undefined
  if (answer.code !== 201 || !isObject(status)) return { error: explain(answer) }
  const { allowed = false, denied = false, reason = '' } = status
  return { allowed, denied, reason: toComparableReason(typeof reason === 'string' ? reason : '', allowed === true) }
}

function toComparableReason(reason: string, isAllowed: boolean): string {
  return isAllowed
    ? reason.slice(0, reason.indexOf(' by ') + 4)
    : reason
        .split(/[\s,[\]]+/)
        .toSorted()
        .join(' ')
}

/** Runs `run` for all items, some of them concurrently. */
export async function runInParallel<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  const runNext = async (): Promise<void> => {
    while (next < items.length) await run(items[next++]!)
  }
  await Promise.all(Array.from({ length: reviewsInFlight }, runNext))
}
