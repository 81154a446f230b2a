import type { ParamRef, ValidatingAdmissionPolicySpec } from '@keelson/api/admissionregistration/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { write } from '../plugin.fixture.ts'
import { openPolicyCluster, waitUntilSettled } from './validating/policies.fixture.ts'
import type { PolicyCluster } from './validating/policies.fixture.ts'

let policies: PolicyCluster
beforeEach(async () => {
  policies = openPolicyCluster()
  for (const name of ['ns', 'other']) await policies.cluster.create('namespaces', { metadata: { name } })
})
afterEach(() => policies[Symbol.asyncDispose]())

const create = (name: string, max: string, namespace = 'ns'): Promise<unknown> =>
  policies.cluster
    .resource('configmaps')
    .create(namespace, { metadata: { name, namespace, labels: { role: 'limit' } }, data: { max } } as KubeObject)
const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
const validations = [
  { expression: 'params == null || object.data.a.size() <= int(params.data.max)', messageExpression: "'at most ' + params.data.max" },
]
const addPolicy = (paramRef?: ParamRef, spec: Partial<ValidatingAdmissionPolicySpec> = {}): Promise<void> =>
  policies.add('p', { paramKind, validations, ...spec }, paramRef && { paramRef })
const findRefusal = (a: string, plural: 'pods' | 'nodes' = 'pods'): Promise<string | undefined> =>
  policies.refusal(write(plural, { metadata: { name: 'x' }, data: { a } } as KubeObject))
const formatParamsMissing = (message: string): string =>
  `pods "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed to configure binding: ${message}`

it('finds a parameter by name in the namespace of the request', async () => {
  await create('limits', '3')
  await addPolicy({ name: 'limits', parameterNotFoundAction: 'Deny' })
  expect(await findRefusal('123')).toBeUndefined()
  expect(await findRefusal('1234')).toContain('denied request: at most 3')
})

it('finds a parameter by name in another namespace', async () => {
  await create('limits', '2', 'other')
  await create('limits', '9')
  await addPolicy({ name: 'limits', namespace: 'other' })
  expect(await findRefusal('123')).toContain('denied request: at most 2')
})

it('evaluates the policy once for each selected parameter, in the order of their names', async () => {
  await create('c', '1')
  await create('b', '2')
  await create('d', '1', 'other')
  await addPolicy({ selector: { matchLabels: { role: 'limit' } } })
  expect(await findRefusal('1')).toBeUndefined()
  expect(await findRefusal('12')).toContain('denied request: at most 1')
  expect(await findRefusal('123')).toContain('denied request: at most 2')
})

it('sees kind and apiVersion of parameters', async () => {
  await create('limits', '2')
  await addPolicy({ name: 'limits' }, { validations: [{ expression: "params.kind == 'ConfigMap' && params.apiVersion == 'v1'" }] })
  expect(await findRefusal('1')).toBeUndefined()
})

it('sees a changed parameter with the next request', async () => {
  await create('limits', '2')
  await addPolicy({ name: 'limits' })
  expect(await findRefusal('123')).toContain('at most 2')
  await policies.cluster.resource('configmaps').update('ns', 'limits', (object) => ({ ...object, data: { max: '3' } }) as KubeObject)
  await waitUntilSettled()
  expect(await findRefusal('123')).toBeUndefined()
})

it('evaluates the policy with params null if the binding refers to none', async () => {
  await addPolicy()
  expect(await findRefusal('12345')).toBeUndefined()
})

it('admits a write without parameters if the action is Allow, and denies it if the action is Deny', async () => {
  await addPolicy({ name: 'none', parameterNotFoundAction: 'Allow' }, { validations: [{ expression: 'false' }] })
  expect(await findRefusal('1')).toBeUndefined()
  await policies.add('q', { paramKind, validations }, { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } })
  expect(await findRefusal('1')).toBe(
    formatParamsMissing('no params found for policy binding with `Deny` parameterNotFoundAction').replaceAll("'p'", "'q'"),
  )
})

it('denies if the scope of the parameters does not fit the binding', async () => {
  await addPolicy({ name: 'x', namespace: 'ns' }, { paramKind: { apiVersion: 'v1', kind: 'Node' } })
  expect(await findRefusal('1')).toBe(formatParamsMissing('paramRef.namespace must not be provided for a cluster-scoped `paramKind`'))
})

it('denies if parameters need a namespace and the request has none', async () => {
  const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['nodes'] }
  await addPolicy({ name: 'x' }, { matchConstraints: { resourceRules: [rule] } })
  expect(await findRefusal('1', 'nodes')).toContain(
    'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  )
})

it('denies as long as the kind of the parameters is not served', async () => {
  const kind = { apiVersion: 'example.com/v1', kind: 'Limit' }
  await addPolicy({ name: 'x' }, { paramKind: kind })
  expect(await findRefusal('1')).toBe(
    "pods \"x\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'",
  )
})
