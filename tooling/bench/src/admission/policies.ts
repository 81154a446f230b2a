import type { JsonObject } from '@keelson/apimachinery'
import { pods } from '../fill-store.ts'
import { createWorkloadPod } from '../registry/workload-pod.ts'
import { ask } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const policies = `${group}/validatingadmissionpolicies`
const bindings = `${group}/validatingadmissionpolicybindings`
const patienceMs = 60_000
const parallelRequests = 8

/** Five expressions of the usual kinds. All of them are true for the measured pods. */
const expressions = [
  "object.metadata.name.startsWith('admission')",
  "has(object.metadata.labels) && 'app' in object.metadata.labels && object.metadata.labels.app != ''",
  "object.spec.containers.all(c, has(c.resources) && has(c.resources.limits) && 'memory' in c.resources.limits)",
  "object.spec.containers.all(c, c.image.startsWith('images.example.com/'))",
  "!has(object.spec.hostNetwork) || !object.spec.hostNetwork || request.userInfo.username == 'admin'",
]
const rule = { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }

/** Objects that the policies match. `others` are other resources, pods of other namespaces, and pods with other labels. */
export type PolicyMatch = 'pods' | 'others'

const otherMatches: readonly object[] = [
  { resourceRules: [{ ...rule, resources: ['services'] }] },
  { resourceRules: [rule], namespaceSelector: { matchLabels: { team: 'other' } } },
  { resourceRules: [rule], objectSelector: { matchLabels: { app: 'other' } } },
]

/**
 * Creates policies with five expressions each, waits until they are enforced, and returns a function that removes them. A last policy that
 * refuses one name shows that the server follows the earlier ones.
 */
export async function installPolicies(server: ServerUnderTest, count: number, match: PolicyMatch): Promise<() => Promise<void>> {
  const names = Array.from({ length: count }, (_, i) => `admission-${String(i).padStart(4, '0')}`)
  await runInParallel(names, (name, i) => {
    const constraints = match === 'pods' ? { resourceRules: [rule] } : otherMatches[i % otherMatches.length]!
    return installPolicy(server, name, expressions, constraints)
  })
  const last = 'admission-last'
  await installPolicy(server, last, [`object.metadata.name != '${last}'`], { resourceRules: [rule] })
  const path = `${pods}?dryRun=All`
  const pod: JsonObject = { apiVersion: 'v1', kind: 'Pod', ...createWorkloadPod(last) }
  for (const end = performance.now() + patienceMs; (await ask(server, 'POST', path, pod)).status !== 422;)
    if (performance.now() > end) throw new Error(`${server.name} does not enforce its policies`)
  const remove = async (name: string): Promise<void> => {
    await ask(server, 'DELETE', `${bindings}/${name}`)
    await ask(server, 'DELETE', `${policies}/${name}`)
  }
  await remove(last)
  return () => runInParallel(names, remove)
}

/** Calls a function for each name, for several names at a time. */
async function runInParallel(names: readonly string[], send: (name: string, position: number) => Promise<void>): Promise<void> {
  const entries = names.entries()
  const sendRemaining = async (): Promise<void> => {
    for (const [position, name] of entries) await send(name, position)
  }
  await Promise.all(Array.from({ length: parallelRequests }, sendRemaining))
}

async function installPolicy(server: ServerUnderTest, name: string, conditions: readonly string[], constraints: object): Promise<void> {
  const validations = conditions.map((expression) => ({ expression }))
  await post(server, policies, { metadata: { name }, spec: { matchConstraints: constraints, validations } })
  await post(server, bindings, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } })
}

export async function post(server: ServerUnderTest, path: string, object: object): Promise<void> {
  const { status, body } = await ask(server, 'POST', path, object)
  if (status !== 201) throw new Error(`${server.name}: ${path}: ${status}: ${body.toString()}`)
}
