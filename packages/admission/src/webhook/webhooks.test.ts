import type { JsonObject, KubeObject } from '@keelson/apimachinery'
import { OutboundError } from '@keelson/outbound'
import { expect, it } from 'vitest'
import type { AdmissionAttributes } from '../admission.ts'
import { createAdmissionChain } from '../create-admission-chain.ts'
import { update, write } from '../plugin.fixture.ts'
import type { TestWrite } from '../plugin.fixture.ts'
import { openHookCluster, createPatchResponse, createUnreachableHook } from './fake-hooks.fixture.ts'
import type { FakeHook, HookCluster } from './fake-hooks.fixture.ts'

const allow: FakeHook = () => ({ allowed: true })
const refused = new OutboundError('dial', 'dial tcp 10.0.0.1:443: connect: connection refused')
const down = createUnreachableHook({ failed: true, error: refused, message: `Post "https://hooks": ${refused.message}` })
const label =
  (key: string, value: (review: { readonly object: KubeObject | null }) => string): FakeHook =>
  (review) =>
    createPatchResponse(...(review.object?.metadata.labels === undefined ? [{ op: 'add', path: '/metadata/labels', value: {} }] : []), {
      op: 'add',
      path: `/metadata/labels/${key}`,
      value: value(review),
    })

function createPod(overrides: Partial<AdmissionAttributes> = {}): TestWrite & { readonly notes: Record<string, string> } {
  const notes: Record<string, string> = {}
  const attributes = write('pods', { metadata: { name: 'a' } }, { annotate: (key, value) => void (notes[key] = value), ...overrides })
  return Object.assign(attributes, { notes })
}

async function run({ plugin }: HookCluster, attributes: AdmissionAttributes): Promise<unknown> {
  const chain = createAdmissionChain([plugin])
  try {
    await chain.admit(attributes)
    await chain.validate(attributes)
    return undefined
  } catch (error) {
    return error
  }
}

function readCounts(hooks: HookCluster, name: string): string[] {
  return hooks
    .metrics()
    .split('\n')
    .filter((line) => line.startsWith(`apiserver_admission_webhook_${name}{`))
    .map((line) => line.slice(line.indexOf('{')))
}

it('calls mutating webhooks in the order of the names of their configurations, each with the changes of those before', async () => {
  await using hooks = await openHookCluster(
    'mutating',
    { two: [{ name: 'c' }], one: [{ name: 'b' }, { name: 'a' }] },
    { a: label('a', ({ object }) => object?.metadata.labels?.['b'] ?? ''), b: label('b', () => 'x'), c: allow },
  )
  const attributes = createPod()
  expect(await run(hooks, attributes)).toBeUndefined()
  expect(hooks.calls.map(({ path }) => path)).toEqual(['/b?timeout=10s', '/a?timeout=10s', '/c?timeout=10s'])
  expect(attributes.object?.metadata.labels).toEqual({ a: 'x', b: 'x' })
  expect(attributes.notes).toEqual({
    'mutation.webhook.admission.k8s.io/round_0_index_0': '{"configuration":"one","webhook":"b","mutated":true}',
    'patch.webhook.admission.k8s.io/round_0_index_0':
      '{"configuration":"one","webhook":"b","patch":[{"op":"add","path":"/metadata/labels","value":{}},{"op":"add","path":"/metadata/labels/b","value":"x"}],"patchType":"JSONPatch"}',
    'mutation.webhook.admission.k8s.io/round_0_index_1': '{"configuration":"one","webhook":"a","mutated":true}',
    'patch.webhook.admission.k8s.io/round_0_index_1':
      '{"configuration":"one","webhook":"a","patch":[{"op":"add","path":"/metadata/labels/a","value":"x"}],"patchType":"JSONPatch"}',
    'mutation.webhook.admission.k8s.io/round_0_index_2': '{"configuration":"two","webhook":"c","mutated":false}',
  })
})

it('calls a webhook again if a later one changed the object and its policy is IfNeeded', async () => {
  const count = label('count', ({ object }) => String(Number(object?.metadata.labels?.['count'] ?? 0) + 1))
  await using hooks = await openHookCluster(
    'mutating',
    { all: [{ name: 'count', reinvocationPolicy: 'IfNeeded' }, { name: 'never' }, { name: 'last', reinvocationPolicy: 'IfNeeded' }] },
    { count, never: label('never', () => 'x'), last: allow },
  )
  const attributes = createPod()
  await run(hooks, attributes)
  expect(hooks.calls.map(({ path }) => path.split('?')[0])).toEqual(['/count', '/never', '/last', '/count', '/last'])
  expect(attributes.object?.metadata.labels).toEqual({ count: '2', never: 'x' })
  expect(attributes.notes).toHaveProperty(['mutation.webhook.admission.k8s.io/round_1_index_0'])
})

it('counts a first patch that changes nothing as a change of times, if the write has set managed fields', async () => {
  const labels = { b: 'x' }
  const managedFields = [{ manager: 'm', operation: 'Update', time: '2026-01-01T00:00:00Z' }]
  const count = async (old: KubeObject | undefined): Promise<number> => {
    await using hooks = await openHookCluster(
      'mutating',
      { all: [{ name: 'a', reinvocationPolicy: 'IfNeeded' }, { name: 'b' }] },
      { a: allow, b: label('b', () => 'x') },
    )
    const object = { metadata: { name: 'p', labels, managedFields } } as KubeObject
    await run(hooks, old === undefined ? write('pods', object) : update('pods', old, object))
    return hooks.calls.length
  }
  expect(await count(undefined)).toBe(3)
  expect(await count({ metadata: { name: 'p', labels, managedFields } })).toBe(2)
})

it('calls a webhook again if another plugin changed the object in the second run', async () => {
  await using hooks = await openHookCluster('mutating', { all: [{ name: 'a', reinvocationPolicy: 'IfNeeded' }] }, { a: allow })
  const chain = createAdmissionChain([
    {
      name: 'Labels',
      admit({ object, reinvocation }) {
        if (reinvocation.isSecondRun) object!.metadata.labels = { again: 'yes' }
        reinvocation.request()
      },
    },
    hooks.plugin,
  ])
  await chain.admit(createPod())
  expect(hooks.calls.map(({ review }) => review.object?.metadata.labels)).toEqual([undefined, { again: 'yes' }])
})

it('calls validating webhooks at the same time, and refuses with the first error', async () => {
  await using hooks = await openHookCluster(
    'validating',
    { all: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
    { a: allow, b: () => ({ allowed: false, status: { message: 'no' } }), c: allow },
  )
  expect(await run(hooks, createPod())).toMatchObject({ code: 400, message: 'admission webhook "b" denied the request: no' })
  expect(hooks.calls).toHaveLength(3)
  expect(readCounts(hooks, 'rejection_count')).toEqual([
    '{error_type="no_error",name="b",operation="CREATE",rejection_code="400",type="validating"} 1',
  ])
  expect(readCounts(hooks, 'request_total')).toHaveLength(3)
})

it.each<[JsonObject, object]>([
  [{ allowed: false }, { code: 400, message: 'admission webhook "a" denied the request without explanation' }],
  [
    { allowed: false, status: { reason: 'Odd' } },
    { code: 400, reason: 'Odd', message: 'admission webhook "a" denied the request: Odd' },
  ],
  [
    { allowed: false, status: { code: 200, status: 'Success' } },
    { code: 400, status: { status: 'Failure' } },
  ],
  [
    { allowed: false, status: { code: 418, message: 'tea' } },
    { code: 418, message: 'admission webhook "a" denied the request: tea' },
  ],
  [{ allowed: false, status: { code: 5000 } }, { code: 500 }],
])('passes on the refusal %j', async (response, error) => {
  await using hooks = await openHookCluster('validating', { all: [{ name: 'a' }] }, { a: () => response })
  expect(await run(hooks, createPod())).toMatchObject(error)
})

it('passes on warnings, and audit annotations with valid names', async () => {
  const response = { allowed: true, warnings: ['first', 'second'], auditAnnotations: { seen: 'yes', 'bad key!': 'x' } }
  await using hooks = await openHookCluster('validating', { all: [{ name: 'a.example.com' }] }, { 'a.example.com': () => response })
  const attributes = createPod()
  await run(hooks, attributes)
  expect([attributes.warnings, attributes.notes]).toEqual([['first', 'second'], { 'a.example.com/seen': 'yes' }])
})

it('refuses a write if a webhook cannot be called, unless its failure policy is Ignore', async () => {
  const message = `failed calling webhook "a": failed to call webhook: Post "https://hooks": ${refused.message}`
  for (const type of ['mutating', 'validating'] as const) {
    await using failing = await openHookCluster(type, { all: [{ name: 'a' }] }, { a: down })
    expect(await run(failing, createPod())).toMatchObject({ code: 500, message: `Internal error occurred: ${message}` })
    expect(readCounts(failing, 'rejection_count')[0]).toContain('error_type="calling_webhook_error"')
    await using ignoring = await openHookCluster(type, { all: [{ name: 'a', failurePolicy: 'Ignore' }] }, { a: down })
    const attributes = createPod()
    expect(await run(ignoring, attributes)).toBeUndefined()
    expect(readCounts(ignoring, 'fail_open_count')).toEqual([`{name="a",type="${type === 'mutating' ? 'admit' : 'validating'}"} 1`])
    const prefix = type === 'mutating' ? 'failed-open.mutation' : 'failed-open.validating'
    expect(attributes.notes[`${prefix}.webhook.admission.k8s.io/round_0_index_0`]).toBe('a')
  }
})

it.each([
  ['None', undefined],
  ['NoneOnDryRun', undefined],
  ['Some', 'admission webhook "a" does not support dry run'],
  ['Unknown', 'admission webhook "a" does not support dry run'],
])('in a dry run, the side effects %s give the error %j', async (sideEffects, message) => {
  await using hooks = await openHookCluster('validating', { all: [{ name: 'a', sideEffects, failurePolicy: 'Ignore' }] }, { a: allow })
  const error = await run(hooks, createPod({ dryRun: true }))
  if (message === undefined) expect(error).toBeUndefined()
  else expect(error).toMatchObject({ code: 400, message })
  expect(hooks.calls).toHaveLength(message === undefined ? 1 : 0)
})

it.each<[JsonObject, string]>([
  [createPatchResponse({ op: 'remove', path: '/metadata/absent' }), 'error in remove for path'],
  [{ ...createPatchResponse(), patch: Buffer.from('garbage').toString('base64') }, "invalid character 'g' looking for beginning of value"],
  [
    { ...createPatchResponse(), patch: Buffer.from('{}').toString('base64') },
    'json: cannot unmarshal object into Go value of type jsonpatch.Patch',
  ],
  [
    { ...createPatchResponse({ op: 'test', path: '', value: 1 }), patchType: 'Merge' },
    'failed calling webhook "a": unsupported patch type "Merge"',
  ],
])('refuses the response %j', async (response, message) => {
  await using hooks = await openHookCluster('mutating', { all: [{ name: 'a' }] }, { a: () => response })
  const error = await run(hooks, createPod())
  expect(error).toMatchObject({ code: 500 })
  expect((error as Error).message).toContain(message)
})

it('refuses a patch for a deletion', async () => {
  await using hooks = await openHookCluster('mutating', { all: [{ name: 'a' }] }, { a: label('a', () => 'b') })
  expect(await run(hooks, write('pods', undefined, { operation: 'DELETE', oldObject: { metadata: { name: 'a' } } }))).toMatchObject({
    code: 500,
    message: expect.stringContaining(
      'admission webhook "a" attempted to modify the object, which is not supported for this operation',
    ) as string,
  })
})

it('does not call webhooks for their own configurations', async () => {
  await using hooks = await openHookCluster('validating', { all: [{ name: 'a' }] }, { a: () => ({ allowed: false }) })
  expect(await run(hooks, write('validatingwebhookconfigurations', { metadata: { name: 'x' } }))).toBeUndefined()
  expect(hooks.calls).toEqual([])
})

it('skips webhooks by their match conditions, and refuses with 403 if a condition fails', async () => {
  const createConditionHook = (expression: string): object => ({ name: 'a', matchConditions: [{ name: 'x', expression }] })
  const call = async (expression: string): Promise<[number, unknown]> => {
    await using hooks = await openHookCluster('mutating', { all: [createConditionHook(expression)] }, { a: allow })
    const error = await run(hooks, createPod())
    return [hooks.calls.length, error]
  }
  expect(await call("object.metadata.name == 'a' && object.kind == 'Pod'")).toEqual([1, undefined])
  expect(await call("request.operation == 'UPDATE'")).toEqual([0, undefined])
  expect(await call("object.spec.x == 'y'")).toMatchObject([
    0,
    { code: 403, message: `pods "a" is forbidden: expression 'object.spec.x == 'y'' resulted in error: no such key: spec` },
  ])
})

it('shortens the timeout to the rest of the time of the request', async () => {
  await using hooks = await openHookCluster('validating', { all: [{ name: 'a', timeoutSeconds: 30 }] }, { a: allow })
  const { context } = createPod()
  await run(hooks, createPod({ context: { ...context, deadline: performance.now() + 4500 } }))
  expect(hooks.calls[0]?.path).toBe('/a?timeout=5s')
})

it('fails only the webhook whose URL cannot be parsed', async () => {
  const url = 'https://hooks:99999/a'
  await using hooks = await openHookCluster(
    'validating',
    { all: [{ name: 'a', clientConfig: { url }, failurePolicy: 'Ignore' }, { name: 'b' }] },
    { b: allow },
  )
  expect(await run(hooks, createPod())).toBeUndefined()
  expect(hooks.calls).toHaveLength(1)
})

it('follows changes of configurations', async () => {
  await using hooks = await openHookCluster('validating', { all: [{ name: 'a' }] }, { a: allow })
  await run(hooks, createPod())
  await hooks.cluster.resource('validatingwebhookconfigurations').delete('', 'all')
  await expect
    .poll(async () => {
      const before = hooks.calls.length
      await run(hooks, update('pods', { metadata: { name: 'a' } }, { metadata: { name: 'a' } }))
      return hooks.calls.length - before
    })
    .toBe(0)
})
