import type { ConfigMap, Pod } from '@keelson/api/core/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission.ts'
import { update, write } from '../../plugin.fixture.ts'
import type { TestWrite } from '../../plugin.fixture.ts'
import { createApplyMutation, openMutatingPolicyCluster, createPatchMutation } from './policies.fixture.ts'
import type { MutatingPolicyCluster } from './policies.fixture.ts'

let policies: MutatingPolicyCluster
beforeEach(async () => {
  policies = openMutatingPolicyCluster()
  await policies.cluster.create('namespaces', { metadata: { name: 'ns', labels: { team: 'a' } } })
})
afterEach(async () => {
  await policies[Symbol.asyncDispose]()
})

type Write<T> = TestWrite & { readonly object: T }

function createConfigMap(data: Record<string, string> = { a: '1' }, overrides: Partial<AdmissionAttributes> = {}): Write<ConfigMap> {
  return write('configmaps', { metadata: { name: 'a' }, data } as ConfigMap, overrides) as Write<ConfigMap>
}

function createPod(spec: Partial<Pod['spec']> = {}): Write<Pod> {
  return write('pods', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } } as Pod) as Write<Pod>
}

/** An expression that appends a text to the trace of a config map. */
function trace(text: string): string {
  return `Object{data: {'t': (has(object.data.t) ? object.data.t : '') + '${text}'}}`
}

async function admitData(attributes: Write<ConfigMap> = createConfigMap({})): Promise<Record<string, string> | undefined> {
  return (await policies.admit(attributes)).data
}

const appendLater: AdmissionPlugin = {
  name: 'Later',
  admit({ object }) {
    ;(object as ConfigMap).data!['later'] ??= 'yes'
  },
}

describe('ApplyConfiguration', () => {
  it('merges lists by their keys and maps by their members', async () => {
    const containers = "[Object.spec.containers{name: 'c', env: [Object.spec.containers.env{name: 'B', value: '2'}]}]"
    await policies.add('p', {
      mutations: [
        createApplyMutation(`Object{metadata: Object.metadata{labels: {'x': 'y'}}, spec: Object.spec{containers: ${containers}}}`),
      ],
    })
    const object = await policies.admit(createPod({ containers: [{ name: 'c', image: 'i', env: [{ name: 'A', value: '1' }] }] }))
    expect(object.metadata.labels).toEqual({ x: 'y' })
    expect(object.spec?.containers).toEqual([
      {
        name: 'c',
        image: 'i',
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
    ])
  })

  it('keeps kind and apiVersion, which a policy cannot change', async () => {
    await policies.add('p', { mutations: [createApplyMutation("Object{kind: 'Other', apiVersion: 'v7', data: {'kind': object.kind}}")] })
    expect(await admitData()).toEqual({ kind: 'ConfigMap' })
  })

  it('copies the values of other objects', async () => {
    await policies.add('p', { mutations: [createApplyMutation('Object{data: oldObject.data}')] })
    const old = { metadata: { name: 'a' }, data: { b: '2' } } as ConfigMap
    const attributes = update('configmaps', old, { metadata: { name: 'a' } }) as Write<ConfigMap>
    const { data } = await policies.admit(attributes)
    expect(data).toEqual({ b: '2' })
    expect(data).not.toBe(old.data)
  })

  const converting = 'error applying patch: failed to convert patch object to typed object: '
  it.each([
    ["Object{nope: 'x'}", `${converting}.nope: field not declared in schema`],
    ["Object{data: {'x': 1}}", `${converting}.data.x: expected string, got &value.valueUnstructured{Value:1}`],
    ["Object{data: {'x': null}}", `${converting}.data.x: expected string, got &value.valueUnstructured{Value:0}`],
    ['Object{data: null}', `${converting}.data: expected map, got &{NULL_VALUE}`],
    ["Object{data: {'x': b'a'}}", `${converting}.data.x: expected string, got &value.valueUnstructured{Value:[]uint8{0x61}}`],
    ["Object{data: {'x': duration('1s')}}", `${converting}.data.x: expected string, got &value.valueUnstructured{Value:1000000000}`],
    ["Object{data: {1: 'x'}}", 'invalid return type: *dynamic.ObjectVal'],
    [
      "Object{metadata: Object.meta{name: 'x'}}",
      'type mismatch: unexpected type name "Object.meta", expected "Object.metadata", which matches field name path from root Object type',
    ],
    [
      "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'u'}], managedFields: []}}",
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.ownerReferences[0], .metadata.managedFields',
    ],
    ['Object{data: object.none}', "expression 'Object{data: object.none}' resulted in error: no such key: none"],
  ])('%s fails', async (expression, problem) => {
    await policies.add('p', { mutations: [createApplyMutation(expression)] })
    const { message, code } = await policies.refusal(createConfigMap())
    expect(message).toBe(`policy 'p' with binding 'p' denied request: ${problem}`)
    expect(code).toBe(403)
  })

  it('refuses a list of maps whose items are not objects of the schema', async () => {
    await policies.add('p', { mutations: [createApplyMutation("Object{spec: Object.spec{containers: [{'name': 'c'}]}}")] })
    expect((await policies.refusal(createPod())).message).toContain(
      '.spec.containers: element 0: associative list with keys may not have non-map elements',
    )
  })

  it('knows no kinds of other groups, such as Scale', async () => {
    await policies.add('p', { mutations: [createApplyMutation("Object{data: {'a': 'b'}}")] })
    const other = { group: 'apps', version: 'v1', resource: 'configmaps' }
    const rule = { operations: ['*'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['*'] }
    await policies.add('q', { matchConstraints: { resourceRules: [rule] }, mutations: [createApplyMutation("Object{data: {'a': 'b'}}")] })
    expect((await policies.refusal(createConfigMap({}, { resource: other }))).message).toContain(
      'no corresponding type for /v1, Kind=ConfigMap',
    )
  })
})

describe('JSONPatch', () => {
  it.each([
    ["[JSONPatch{op: 'add', path: '/data/x', value: 'y'}]", { a: '1', x: 'y' }],
    ["[JSONPatch{op: 'move', from: '/data/a', path: '/data/b'}]", { b: '1' }],
    ["(has(object.data.a) ? [] : []) + [JSONPatch{op: 'add', path: '/data/x', value: 'y'}]", { a: '1', x: 'y' }],
    ["[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('x/y~z'), value: 'v'}]", { a: '1', 'x/y~z': 'v' }],
    ["[JSONPatch{op: 'add', path: '/data', value: {'k': 'v'}}]", { k: 'v' }],
    ["[JSONPatch{op: 'add', path: '/data', value: Object.data{k: 'v'}}]", { k: 'v' }],
    ["[JSONPatch{op: 'add', path: '/data/x', value: duration('90m')}]", { a: '1', x: '5400s' }],
    ["[JSONPatch{op: 'add', path: '/data/x', value: 9007199254740993}]", { a: '1', x: '9007199254740993' }],
    ["[JSONPatch{op: 'add', path: '/data/x', value: b'abc'}]", { a: '1', x: 'YWJj' }],
    ["[JSONPatch{op: 'test', path: '/data/a', value: '1'}, JSONPatch{op: 'remove', path: '/data/a'}]", {}],
    ["[JSONPatch{op: 'remove', path: '/data/a'}, JSONPatch{op: 'test', path: '/data/b', value: '2'}]", { a: '1' }],
    ["[JSONPatch{op: 'test', path: '/data/none', value: null}, JSONPatch{op: 'remove', path: '/data/a'}]", { a: '1' }],
    ["[JSONPatch{op: 'test', path: '/data/none'}, JSONPatch{op: 'remove', path: '/data/a'}]", {}],
  ])('%s', async (expression, data) => {
    await policies.add('p', { mutations: [createPatchMutation(expression)] })
    expect(await admitData(createConfigMap())).toEqual(data)
  })

  const unmarshalled = 'JSONPath valueExpression evaluated to a type that could not marshal to JSON: '
  it.each([
    [
      "[JSONPatch{op: 'remove', path: '/data/x'}]",
      "JSON Patch: error in remove for path: '/data/x': Unable to remove nonexistent key: x: missing value",
    ],
    [
      "[JSONPatch{op: 'copy', path: '/data/x'}]",
      'JSON Patch: copy operation failed to decode from: operation, missing from field: missing value',
    ],
    ["[JSONPatch{path: '/data/x'}]", 'JSON Patch: Unexpected kind: '],
    ["[JSONPatch{op: 'add', path: '/data/x', value: int}]", `${unmarshalled}type conversion not supported for 'type'`],
    ["[JSONPatch{op: 'add', path: '/data/x', value: {1: 'x'}}]", `${unmarshalled}unsupported type conversion from 'int' to string`],
    ["[JSONPatch{op: 'add', path: '/data/x', value: optional.none()}]", `${unmarshalled}optional.none() dereference`],
    [
      "[JSONPatch{op: 'add', path: '/data/x', value: quantity('1Gi')}]",
      `${unmarshalled}type conversion error from 'Quantity' to '*structpb.Value'`,
    ],
    [
      "[JSONPatch{op: 'add', path: '/data', value: Object.data{x: Object.y{}}}]",
      'type mismatch: unexpected type name "Object.y", expected "Object.data.x", which matches field name path from root Object type',
    ],
  ])('%s fails', async (expression, problem) => {
    await policies.add('p', { mutations: [createPatchMutation(expression)] })
    expect((await policies.refusal(createConfigMap())).message).toBe(`policy 'p' with binding 'p' denied request: ${problem}`)
  })

  it('refuses the write with 500 if the result is not an object of the kind, even if failures are ignored', async () => {
    await policies.add('p', {
      failurePolicy: 'Ignore',
      mutations: [createPatchMutation("[JSONPatch{op: 'replace', path: '/kind', value: 'Nope'}]")],
    })
    const { code, message } = await policies.refusal(createConfigMap())
    expect(code).toBe(500)
    expect(message).toBe('Internal error occurred: no kind "Nope" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"')
  })
})

describe('several mutations', () => {
  it('see the object after the earlier ones, and so do variables', async () => {
    await policies.add('p', {
      variables: [{ name: 'all', expression: "object.data.a + '!'" }],
      mutations: [createApplyMutation("Object{data: {'a': variables.all}}"), createApplyMutation("Object{data: {'b': variables.all}}")],
    })
    expect(await admitData(createConfigMap())).toEqual({ a: '1!', b: '1!!' })
  })

  it('run although an earlier one failed, and the answer has all failures', async () => {
    await policies.add('p', { mutations: [createApplyMutation('Object{data: object.x}'), createApplyMutation("Object{y: 'z'}")] })
    const { message, status } = await policies.refusal(createConfigMap())
    expect(message).toContain('no such key: x')
    expect(status.reason).toBe('Invalid')
    expect(status.details?.causes?.map((cause) => cause.message)).toEqual([message, expect.stringContaining('.y: field not declared')])
  })

  it('keep their effect if another one fails and failures are ignored', async () => {
    await policies.add('p', {
      failurePolicy: 'Ignore',
      mutations: [createApplyMutation('Object{data: object.x}'), createApplyMutation("Object{data: {'y': 'z'}}")],
    })
    expect(await admitData(createConfigMap())).toEqual({ a: '1', y: 'z' })
  })

  it('are ordered by the names of policies and bindings and by parameters', async () => {
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
    for (const name of ['one', 'two']) {
      await policies.cluster.create('configmaps', { metadata: { name, labels: { param: 'yes' } }, data: { v: name } } as KubeObject)
    }
    await policies.add('b', { mutations: [createApplyMutation(trace('b'))] })
    await policies.add(
      'a',
      { paramKind, mutations: [createApplyMutation("Object{data: {'t': (has(object.data.t) ? object.data.t : '') + params.data.v}}")] },
      { paramRef: { selector: { matchLabels: { param: 'yes' } }, parameterNotFoundAction: 'Deny' } },
    )
    expect(await admitData()).toEqual({ t: 'onetwob' })
  })
})

it('sees parameters of built-in kinds without kind and apiVersion, as in kube-apiserver', async () => {
  await policies.cluster.create('configmaps', { metadata: { name: 'one' }, data: { v: 'x' } } as KubeObject)
  const expression = "Object{data: {'kind': params.?kind.orValue('none'), 'version': params.?apiVersion.orValue('none')}}"
  await policies.add(
    'p',
    { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, mutations: [createApplyMutation(expression)] },
    { paramRef: { name: 'one' } },
  )
  expect(await admitData()).toMatchObject({ kind: 'none', version: 'none' })
})

describe('configuration', () => {
  it('refuses the write if a required parameter does not exist', async () => {
    await policies.add(
      'p',
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, mutations: [createApplyMutation(trace('x'))] },
      { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
    )
    const { message, status } = await policies.refusal(createConfigMap())
    expect(message).toBe(
      "policy 'p' with binding 'p' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    )
    expect(status.reason).toBe('Forbidden')
  })

  it('refuses the write if the kind of parameters does not exist', async () => {
    await policies.add(
      'p',
      { paramKind: { apiVersion: 'x.y/v1', kind: 'Foo' }, mutations: [createApplyMutation(trace('x'))] },
      { paramRef: { name: 'n' } },
    )
    expect((await policies.refusal(createConfigMap())).message).toBe(
      `policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'x.y/v1, Kind=Foo'`,
    )
  })

  it('skips writes that selectors or match conditions exclude', async () => {
    await policies.add(
      'p',
      { mutations: [createApplyMutation(trace('x'))] },
      { matchResources: { namespaceSelector: { matchLabels: { team: 'b' } } } },
    )
    await policies.add('q', {
      matchConditions: [{ name: 'c', expression: "'go' in object.data" }],
      mutations: [createApplyMutation(trace('q'))],
    })
    expect(await admitData()).toEqual({})
    expect(await admitData(createConfigMap({ go: '' }))).toEqual({ go: '', t: 'q' })
  })

  it('applies the failure policy to match conditions that fail', async () => {
    const matchConditions = [{ name: 'c', expression: "object.none == ''" }]
    await policies.add('p', { failurePolicy: 'Ignore', matchConditions, mutations: [createApplyMutation(trace('x'))] })
    expect(await admitData()).toEqual({})
    await policies.add('q', { matchConditions, mutations: [createApplyMutation(trace('x'))] })
    expect((await policies.refusal(createConfigMap())).message).toBe(
      "policy 'q' with binding 'q' denied request: expression 'object.none == ''' resulted in error: no such key: none",
    )
  })

  it('limits the cost of each mutation', async () => {
    const list = JSON.stringify(Array.from({ length: 90 }, (_, i) => i))
    const expression = `!${list}.exists(i, object.data.long.contains('x'))`
    const variables = Array.from({ length: 13 }, (_, i) => ({ name: `v${i}`, expression }))
    const conjunction = variables.map(({ name }) => `variables.${name}`).join(' && ')
    await policies.add('p', { variables, mutations: [createApplyMutation(`Object{data: {'x': string(${conjunction})}}`)] })
    expect((await policies.refusal(createConfigMap({ long: 'y'.repeat(100_000) }))).message).toBe(
      "policy 'p' with binding 'p' denied request: validation failed due to running out of cost budget, no further validation rules will be run",
    )
  })

  it('does not apply to policies, to reviews and to deletes', async () => {
    const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }
    await policies.add('p', {
      matchConstraints: { resourceRules: [everything] },
      mutations: [createApplyMutation('Object{data: object.none}')],
    })
    const policy = write('mutatingadmissionpolicies', { metadata: { name: 'x' } }) as Write<KubeObject>
    expect(await policies.admit(policy)).toEqual({ metadata: { name: 'x' } })
    const review = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' }
    expect(await admitData(createConfigMap({}, { resource: review }))).toEqual({})
    expect(await admitData(createConfigMap({}, { operation: 'DELETE' }))).toEqual({})
    await policies.refusal(createConfigMap())
  })

  it('answers 404 if the namespace does not exist', async () => {
    await policies.add('p', { mutations: [createApplyMutation(trace('x'))] })
    expect((await policies.refusal(createConfigMap({}, { namespace: 'none' }))).code).toBe(404)
  })

  it('refuses a match through another version of a built-in kind, as kube-apiserver does', async () => {
    const rule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }
    await policies.add('p', {
      matchConstraints: { resourceRules: [rule], matchPolicy: 'Equivalent' },
      mutations: [createApplyMutation(trace('x'))],
    })
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' }
    const equivalents = [{ resource: { group: '', version: 'v1', resource: 'configmaps' }, kind }]
    const attributes = createConfigMap(
      {},
      { kind: { ...kind, version: 'v2' }, resource: { group: '', version: 'v2', resource: 'configmaps' }, equivalents },
    )
    expect((await policies.refusal(attributes)).message).toBe(
      "policy 'p' with binding 'p' denied request: converting (v1.ConfigMap) to (v2.ConfigMap): unknown conversion",
    )
  })
})

describe('reinvocation', () => {
  it('applies policies with reinvocationPolicy IfNeeded a second time', async () => {
    await policies.add('a', { reinvocationPolicy: 'IfNeeded', mutations: [createApplyMutation(trace('a'))] })
    await policies.add('b', { mutations: [createApplyMutation(trace('b'))] })
    expect(await admitData()).toEqual({ t: 'aba' })
  })

  it('does not apply a policy in the second run that did not match in the first', async () => {
    const matchConditions = [{ name: 'c', expression: 'has(object.data.later)' }]
    await policies.add('a', { reinvocationPolicy: 'IfNeeded', matchConditions, mutations: [createApplyMutation(trace('a'))] })
    await policies.add('b', { mutations: [createApplyMutation("Object{data: {'later': 'b'}}")] })
    expect(await admitData()).toEqual({ later: 'b' })
  })

  it('applies a policy without effect again if a later plugin changes the object and requests a second run', async () => {
    await policies.add('a', {
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'IfNeeded',
      mutations: [createApplyMutation("Object{data: {'seen': object.data.later}}")],
    })
    const requesting: AdmissionPlugin = {
      ...appendLater,
      admit: (attributes) => (void appendLater.admit!(attributes), attributes.reinvocation.request()),
    }
    const { data } = await policies.admit(createConfigMap({}), [requesting])
    expect(data).toEqual({ later: 'yes', seen: 'yes' })
  })

  it('does not run twice without a mutation', async () => {
    let runs = 0
    await policies.add('a', {
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'IfNeeded',
      mutations: [createApplyMutation('Object{data: object.none}')],
    })
    await policies.admit(createConfigMap(), [{ name: 'Counting', admit: () => void runs++ }])
    expect(runs).toBe(1)
  })
})

it('counts mutations by policy, binding and error', async () => {
  await policies.add('a', { mutations: [createApplyMutation(trace('a'))] })
  await policies.add('b', { failurePolicy: 'Ignore', mutations: [createApplyMutation('Object{data: object.none}')] })
  await policies.admit(createConfigMap())
  const counts = policies.metrics.text().match(/^apiserver_mutating_admission_policy_check_total\{.*$/gm)
  expect(counts).toEqual([
    'apiserver_mutating_admission_policy_check_total{error_type="no_error",policy="a",policy_binding="a"} 1',
    'apiserver_mutating_admission_policy_check_total{error_type="invalid_error",policy="b",policy_binding="b"} 1',
  ])
})
