import type { JsonObject } from '@keelson/apimachinery'
import type { Step } from '../cases/case.ts'
import { isObject } from '../cases/locations.ts'
import { Random } from '../cases/random.ts'
import { compareMetrics, metricsStep } from '../judge/admission-metrics.ts'
import { Normalizer } from '../judge/normalize.ts'
import { cleanUp } from '../play/clean-up.ts'
import { explain } from '../play/server.ts'
import type { Answer, Server } from '../play/server.ts'
import { createDeploymentSpec, createRandomAdmissionPolicy, createRandomObject } from './random-admission-policy.ts'
import type { BoundPolicy } from './random-admission-policy.ts'
import { createRandomMutatingPolicy } from './random-mutating-policy.ts'
import { clusterParamSteps, createParamSteps, definitionSteps, usedParamKinds } from './random-params.ts'

export interface PolicyOptions {
  readonly seed: number
  readonly requests: number
  readonly prefix: string
}

export interface DifferentResponse {
  readonly step: Step
  /** The policy that applies to the write. Undefined for a difference of the metrics. */
  readonly policy: BoundPolicy | undefined
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
/** Time until policies of kube-apiserver find a new kind of parameters. It reads discovery every 30 seconds. */
const discoveryMs = 35_000

/** Creates random validating and mutating policies, each for a namespace of its own, and compares the responses to dry runs of writes. */
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
      const policyPath = `${group}/${bound.plural}`
      if (!(await install(policyPath, bound.policy as JsonObject & { metadata: JsonObject }))) continue
      if (await install(`${policyPath.replace(/ies$/, 'y')}bindings`, { ...bound.binding, metadata: { name } })) return bound
      for (const server of [reference, candidate]) await cleanUp(server, [`${policyPath}/${name}`])
    }
  }
  await keepFollowingParams([reference, candidate])
  try {
    for (const step of clusterParamSteps) await install(step.path, step.body as JsonObject & { metadata: JsonObject })
    for (let round = 0, remaining = requests; remaining > 0; round++) {
      const namespaces = Array.from({ length: policiesPerRound }, (_, i) => `${prefix}-${round}-${i}`)
      for (const namespace of namespaces) await fill(install, namespace)
      const first = created.length
      const bound: BoundPolicy[] = []
      for (const name of namespaces) {
        const create = random.chance(0.5) ? createRandomAdmissionPolicy : createRandomMutatingPolicy
        bound.push(await installPolicy(name, () => create(random, name, name)))
      }
      await new Promise((resolve) => setTimeout(resolve, refreshMs))
      const different = new Set<string>()
      for (const [i, policy] of bound.entries()) {
        for (let k = 0; k < requestsPerPolicy && remaining > 0; k++, remaining--) {
          const step = createRandomRequest(random, namespaces[i]!)
          const [theirs, own] = await sendToBoth(step)
          const [want, got] = [toComparable(theirs, step), toComparable(own, step)]
          if (want !== got) {
            differences.push({ step, policy, want, got })
            different.add(namespaces[i]!)
          }
          if (theirs.code >= 400) refused++
        }
      }
      const equal = namespaces.filter((name) => !different.has(name))
      const metric = await compareMetrics(reference, candidate, equal)
      if (metric !== undefined) differences.push({ step: metricsStep, policy: undefined, want: metric.want, got: metric.got })
      for (const server of [reference, candidate]) await cleanUp(server, created.slice(first).toReversed())
      created.length = first
    }
  } finally {
    // The last policies may still refuse deletions.
    const isPolicy = (path: string): boolean => path.startsWith(group)
    for (const server of [reference, candidate]) await cleanUp(server, created.filter(isPolicy).toReversed())
    await new Promise((resolve) => setTimeout(resolve, refreshMs))
    const otherPaths = created.filter((path) => !isPolicy(path)).toReversed()
    for (const server of [reference, candidate]) await cleanUp(server, otherPaths)
  }
  return { refused, differences }
}

/**
 * Creates the kinds of parameters, and policies with parameters that match nothing, and keeps them. When the last policy with parameters of
 * a kind is deleted, kube-apiserver stops following their changes until it is restarted.
 */
async function keepFollowingParams(servers: readonly Server[]): Promise<void> {
  const matchConstraints = { resourceRules: [{ apiGroups: ['x'], apiVersions: ['x'], operations: ['*'], resources: ['x'] }] }
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }]
  const paramRef = { name: 'x', parameterNotFoundAction: 'Allow' }
  let isNew = false
  for (const server of servers) {
    for (const step of definitionSteps) isNew = ((await server.send(step)).code === 201 && server === servers[0]) || isNew
    for (const { apiVersion, kind } of usedParamKinds) {
      const metadata = { name: `compare-keeps-${kind.toLowerCase()}` }
      const spec = { paramKind: { apiVersion, kind }, matchConstraints }
      const bindingSpec = { policyName: metadata.name, paramRef }
      const validating = { ...spec, validations: [{ expression: 'true' }] }
      const mutating = { ...spec, failurePolicy: 'Fail', reinvocationPolicy: 'Never', mutations }
      for (const [path, body] of [
        ['validatingadmissionpolicies', { metadata, spec: validating }],
        ['validatingadmissionpolicybindings', { metadata, spec: { ...bindingSpec, validationActions: ['Deny'] as string[] } }],
        ['mutatingadmissionpolicies', { metadata, spec: mutating }],
        ['mutatingadmissionpolicybindings', { metadata, spec: bindingSpec }],
      ] as const)
        await server.send({ method: 'POST', path: `${group}/${path}`, body })
    }
  }
  await new Promise((resolve) => setTimeout(resolve, isNew ? discoveryMs : refreshMs))
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
  for (const step of createParamSteps(namespace)) await install(step.path, step.body as JsonObject & { metadata: JsonObject })
  await install(`${core}/configmaps`, { metadata, data: { max: '5' } })
  await install(`${core}/pods`, { metadata, spec: pod })
  await install(`/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata, spec: createDeploymentSpec(2, pod) })
}

function createRandomRequest(random: Random, namespace: string): Step {
  const core = `/api/v1/namespaces/${namespace}`
  const query = `?dryRun=All${random.chance(0.2) ? '&fieldManager=me' : ''}`
  const existing = random.pick(['configmaps', 'pods'])
  const merge = { 'content-type': 'application/merge-patch+json' }
  switch (random.weighted({ create: 11, patch: 5, delete: 2, scale: 1, status: 1 })) {
    case 'create': {
      const { path, body } = createRandomObject(random, namespace)
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

/** Returns the part of a response that is compared: a success without values that a server chooses, and a failure with its message. */
function toComparable(answer: Answer, step: Step): string {
  const { code, body, warning = '' } = answer
  if (code < 400 || !isObject(body)) {
    return JSON.stringify({ code, warning, body: new Normalizer({ sortsManagedFields: true }).answer(answer, step).body })
  }
  const { reason = '', message = '', details = null } = body
  return JSON.stringify({ code, reason, details, message, warning })
}
