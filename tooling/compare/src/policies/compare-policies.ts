import type { JsonObject } from '@keelson/apimachinery'
import type { Step } from '../cases/case.ts'
import { isObject } from '../cases/locations.ts'
import { Random } from '../cases/random.ts'
import { cleanUp } from '../play/clean-up.ts'
import { explain } from '../play/server.ts'
import type { Answer, Server } from '../play/server.ts'
import { deploymentSpec, randomAdmissionPolicy, randomObject } from './random-admission-policy.ts'
import type { BoundPolicy } from './random-admission-policy.ts'

export interface PolicyOptions {
  readonly seed: number
  readonly requests: number
  readonly prefix: string
}

export interface DifferentResponse {
  readonly step: Step
  readonly policy: BoundPolicy
  readonly want: string
  readonly got: string
}

export interface PolicyComparison {
  /** Number of requests that both servers rejected. */
  readonly refused: number
  readonly differences: readonly DifferentResponse[]
}

const group = '/apis/admissionregistration.k8s.io/v1'
const policiesPerRound = 40
const requestsPerPolicy = 12
/** Time until kube-apiserver applies new policies. It looks for changes once a second. */
const refreshMs = 3000

/** Creates random validating policies, each for a namespace of its own, and compares the responses to dry runs of writes. */
export async function comparePolicies(
  reference: Server,
  candidate: Server,
  { seed, requests, prefix }: PolicyOptions,
): Promise<PolicyComparison> {
  const random = new Random(seed)
  const created: string[] = []
  const differences: DifferentResponse[] = []
  let refused = 0
  const sendToBoth = (step: Step): Promise<readonly [Answer, Answer]> => Promise.all([reference.send(step), candidate.send(step)])
  const install = async (path: string, body: JsonObject & { readonly metadata: JsonObject }): Promise<boolean> => {
    const answers = await sendToBoth({ method: 'POST', path, body })
    const codes = answers.map(({ code }) => code)
    if (codes[0] !== codes[1]) throw new Error(`${path}: ${answers.map(explain).join('; ')}`)
    if (codes[0] === 201) created.push(`${path}/${body.metadata['name'] as string}`)
    return codes[0] === 201
  }
  const installPolicy = async (name: string, create: () => BoundPolicy): Promise<BoundPolicy> => {
    for (;;) {
      const bound = create()
      // Both servers reject some random policies.
      if (!(await install(`${group}/validatingadmissionpolicies`, bound.policy as JsonObject & { metadata: JsonObject }))) continue
      await install(`${group}/validatingadmissionpolicybindings`, { ...bound.binding, metadata: { name } })
      return bound
    }
  }
  try {
    await keepFollowingParams([reference, candidate])
    for (let round = 0, left = requests; left > 0; round++) {
      const namespaces = Array.from({ length: policiesPerRound }, (_, i) => `${prefix}-${round}-${i}`)
      for (const namespace of namespaces) await fill(install, namespace)
      const first = created.length
      const bound: BoundPolicy[] = []
      for (const name of namespaces) bound.push(await installPolicy(name, () => randomAdmissionPolicy(random, name, name)))
      await new Promise((resolve) => setTimeout(resolve, refreshMs))
      for (const [i, policy] of bound.entries()) {
        for (let k = 0; k < requestsPerPolicy && left > 0; k++, left--) {
          const step = createRandomRequest(random, namespaces[i]!)
          const [theirs, own] = await sendToBoth(step)
          const [want, got] = [toComparable(theirs), toComparable(own)]
          if (want !== got) differences.push({ step, policy, want, got })
          else if (theirs.code >= 400) refused++
        }
      }
      for (const server of [reference, candidate]) await cleanUp(server, created.slice(first).toReversed())
      created.length = first
    }
  } finally {
    // The last policies may still refuse deletions.
    const isPolicy = (path: string): boolean => path.startsWith(group)
    for (const server of [reference, candidate]) await cleanUp(server, created.filter(isPolicy).toReversed())
    await new Promise((resolve) => setTimeout(resolve, refreshMs))
    const others = created.filter((path) => !isPolicy(path)).toReversed()
    for (const server of [reference, candidate]) await cleanUp(server, others)
  }
  return { refused, differences }
}

/**
 * Creates a policy with parameters that matches nothing, and keeps it. When the last policy with parameters of a kind is deleted,
 * kube-apiserver stops following their changes until it is restarted.
 */
async function keepFollowingParams(servers: readonly Server[]): Promise<void> {
  const metadata = { name: 'compare-keeps-params' }
  const matchConstraints = { resourceRules: [{ apiGroups: ['x'], apiVersions: ['x'], operations: ['*'], resources: ['x'] }] }
  const spec = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, matchConstraints, validations: [{ expression: 'true' }] }
  const paramRef = { name: 'x', parameterNotFoundAction: 'Allow' }
  const bindingSpec = { policyName: metadata.name, validationActions: ['Deny'], paramRef }
  for (const server of servers) {
    await server.send({ method: 'POST', path: `${group}/validatingadmissionpolicies`, body: { metadata, spec } })
    await server.send({ method: 'POST', path: `${group}/validatingadmissionpolicybindings`, body: { metadata, spec: bindingSpec } })
  }
}

/** Creates a namespace with parameters, and with objects to change and delete. */
async function fill(
  install: (path: string, body: JsonObject & { readonly metadata: JsonObject }) => Promise<boolean>,
  namespace: string,
): Promise<void> {
  const core = `/api/v1/namespaces/${namespace}`
  const metadata = { name: 'a1', labels: { team: 'b' } }
  const pod: JsonObject = { containers: [{ name: 'c', image: 'nginx' }] }
  await install('/api/v1/namespaces', { metadata: { name: namespace } })
  await install(`${core}/serviceaccounts`, { metadata: { name: 'default' } })
  for (const [name, max] of [
    ['p1', '5'],
    ['p2', '3'],
  ] as const)
    await install(`${core}/configmaps`, { metadata: { name, labels: { team: name === 'p1' ? 'a' : 'b' } }, data: { max } })
  await install(`${core}/configmaps`, { metadata, data: { max: '5' } })
  await install(`${core}/pods`, { metadata, spec: pod })
  await install(`/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata, spec: deploymentSpec(2, pod) })
}

function createRandomRequest(random: Random, namespace: string): Step {
  const core = `/api/v1/namespaces/${namespace}`
  const query = `?dryRun=All${random.chance(0.2) ? '&fieldManager=me' : ''}`
  const existing = random.pick(['configmaps', 'pods'])
  const merge = { 'content-type': 'application/merge-patch+json' }
  switch (random.weighted({ create: 11, patch: 5, delete: 2, scale: 1, status: 1 })) {
    case 'create': {
      const { path, body } = randomObject(random, namespace)
      return { method: 'POST', path: path + query, body }
    }
    case 'patch': {
      const body = { metadata: { labels: { team: random.pick(['a', 'z']) } } }
      return { method: 'PATCH', path: `${core}/${existing}/a1${query}`, headers: merge, body }
    }
    case 'delete':
      return { method: 'DELETE', path: `${core}/${existing}/a1${query}` }
    case 'scale': {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/a1/scale${query}`
      return { method: 'PATCH', path, headers: merge, body: { spec: { replicas: random.pick([2, 9]) } } }
    }
    default:
      return { method: 'PATCH', path: `${core}/pods/a1/status${query}`, headers: merge, body: { status: { phase: 'Running' } } }
  }
}

/** Returns the part of a response that is compared: the code and the warnings, and the reason, details and message of a failure. */
function toComparable({ code, body, warning = '' }: Answer): string {
  if (code < 400 || !isObject(body)) return JSON.stringify({ code, warning })
  const { reason = '', message = '', details = null } = body
  return JSON.stringify({ code, reason, details, message, warning })
}
