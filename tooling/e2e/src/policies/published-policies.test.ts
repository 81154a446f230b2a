import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import type { Answer } from '../https-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import { mutatingRules } from './mutating-rules.ts'
import { otherRules } from './other-rules.ts'
import { podRules } from './pod-rules.ts'
import type { MutatingRule, PolicyResource, ValidatingRule } from './published-policy.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const validatingRules = [...podRules, ...otherRules]
const apis: Readonly<Record<PolicyResource, readonly [group: string, version: string]>> = {
  configmaps: ['', 'v1'],
  deployments: ['apps', 'v1'],
  ingresses: ['networking.k8s.io', 'v1'],
  persistentvolumeclaims: ['', 'v1'],
  poddisruptionbudgets: ['policy', 'v1'],
  pods: ['', 'v1'],
  rolebindings: ['rbac.authorization.k8s.io', 'v1'],
  services: ['', 'v1'],
}
/** A running kube-apiserver with --allow-privileged, to test instead of this server. REFERENCE_TOKEN is the token of an administrator. */
const reference = process.env['REFERENCE_URL']

let server: KeelsonProcess | undefined
let client: HttpsClient
beforeAll(async () => {
  server = reference === undefined ? await startKeelsonProcess({ controllers: 'none' }) : undefined
  client = new HttpsClient(server?.url ?? reference ?? '', server?.token ?? process.env['REFERENCE_TOKEN'] ?? '')
  for (const rule of validatingRules) await install(rule, 'validating', { validations: rule.validations }, { validationActions: ['Deny'] })
  for (const rule of mutatingRules) {
    await install(rule, 'mutating', { mutations: rule.mutations, reinvocationPolicy: rule.reinvocationPolicy ?? 'Never' }, {})
  }
  // kube-apiserver looks for changed policies once a second.
  if (reference !== undefined) await wait(5000)
}, 120_000)
afterAll(async () => {
  client[Symbol.dispose]()
  await server?.[Symbol.asyncDispose]()
})

const runId = Math.random().toString(36).slice(2, 8)
const getName = ({ name }: ValidatingRule | MutatingRule): string => `${name}-${runId}`

async function create(path: string, object: object): Promise<Answer> {
  return client.request('POST', path, { body: object })
}

async function mustCreate(path: string, object: object): Promise<void> {
  const { status, text } = await create(path, object)
  expect(status, text).toBe(201)
}

/** Creates a namespace for a rule, its parameter, and a policy and a binding that apply to the namespace. */
async function install(
  rule: ValidatingRule | MutatingRule,
  kind: 'mutating' | 'validating',
  spec: object,
  bindingSpec: object,
): Promise<void> {
  const name = getName(rule)
  const { resource, param, labels = {}, variables = [], matchConditions = [] } = rule
  const [apiGroup, version] = apis[resource]
  await mustCreate('/api/v1/namespaces', { metadata: { name, labels } })
  // Nothing else creates it, because no controllers run.
  await mustCreate(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } })
  if (param !== undefined) await mustCreate(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'param' }, data: param })
  const resourceRules = [{ operations: ['CREATE', 'UPDATE'], apiGroups: [apiGroup], apiVersions: [version], resources: [resource] }]
  await mustCreate(`${group}/${kind}admissionpolicies`, {
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules },
      ...(param !== undefined && { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
      variables,
      matchConditions,
      ...spec,
    },
  })
  await mustCreate(`${group}/${kind}admissionpolicybindings`, {
    metadata: { name },
    spec: {
      policyName: name,
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } },
      ...(param !== undefined && { paramRef: { name: 'param', parameterNotFoundAction: 'Deny' } }),
      ...bindingSpec,
    },
  })
}

/** Creates an object in the namespace of a rule, as a dry run. */
function createObject(rule: ValidatingRule | MutatingRule, object: object): Promise<Answer> {
  const [apiGroup, version] = apis[rule.resource]
  const root = apiGroup === '' ? `/api/${version}` : `/apis/${apiGroup}/${version}`
  const { metadata, ...fields } = object as { metadata?: object }
  return create(`${root}/namespaces/${getName(rule)}/${rule.resource}?dryRun=All`, { metadata: { name: 'x', ...metadata }, ...fields })
}

test('there are at least 30 rules', () => {
  expect(validatingRules.length + mutatingRules.length).toBeGreaterThanOrEqual(30)
})

describe.each(validatingRules)('$name ($source)', (rule) => {
  test.each(rule.accepts.map((object) => [JSON.stringify(object), object] as const))('accepts %s', async (_, object) => {
    const { status, text } = await createObject(rule, object)
    expect(status, text).toBe(201)
  })

  test.each(rule.refuses.map(([object, message]) => [JSON.stringify(object), object, message] as const))(
    'refuses %s',
    async (_, object, message) => {
      const { status, text } = await createObject(rule, object)
      const denial = `ValidatingAdmissionPolicy '${getName(rule)}' with binding '${getName(rule)}' denied request: ${message}`
      expect((JSON.parse(text) as { message: string }).message).toContain(denial)
      expect([403, 422]).toContain(status)
    },
  )
})

describe.each(mutatingRules)('$name ($source)', (rule) => {
  test.each(rule.changes.map(([object, expected]) => [JSON.stringify(object), object, expected] as const))(
    'changes %s',
    async (_, object, expected) => {
      const { status, text } = await createObject(rule, object)
      expect(status, text).toBe(201)
      expect(JSON.parse(text)).toMatchObject(expected)
    },
  )

  test.each((rule.ignores ?? []).map(([object, unexpected]) => [JSON.stringify(object), object, unexpected] as const))(
    'does not change %s',
    async (_, object, unexpected) => {
      const { status, text } = await createObject(rule, object)
      expect(status, text).toBe(201)
      expect(JSON.parse(text)).not.toMatchObject(unexpected)
    },
  )
})
