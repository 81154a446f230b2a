import { afterAll, beforeAll, expect, test } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const user = { name: 'admin', groups: ['system:masters'] }
const rounds = 20

let chain: ServerChain
beforeAll(async () => {
  chain = await startChain()
  // The policies of a usual cluster, which a change must not compile again.
  for (let i = 0; i < 50; i++) await addPolicy(`other-${i}`, kinds[0]!, 'secrets')
})
afterAll(() => chain.close())

interface PolicyKind {
  readonly policies: string
  readonly bindings: string
  readonly spec: object
  readonly bindingSpec: object
}

const kinds: readonly PolicyKind[] = [
  {
    policies: 'validatingadmissionpolicies',
    bindings: 'validatingadmissionpolicybindings',
    spec: {
      variables: [{ name: 'data', expression: 'object.data' }],
      validations: Array.from({ length: 5 }, (_, i) => ({ expression: `variables.data.exists(k, k == 'mutated') || ${i} > 5` })),
    },
    bindingSpec: { validationActions: ['Deny'] },
  },
  {
    policies: 'mutatingadmissionpolicies',
    bindings: 'mutatingadmissionpolicybindings',
    spec: {
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: "Object{data: {'mutated': 'yes'}}" } }],
    },
    bindingSpec: {},
  },
]

interface Answer {
  readonly message: string
  readonly data?: Readonly<Record<string, string>>
}

async function ask(method: string, path: string, body?: object): Promise<Answer & { readonly status: number }> {
  const response = await chain.fetch(path, {
    method,
    user,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { ...((await response.json()) as Answer), status: response.status }
}

async function addPolicy(name: string, { policies, bindings, spec, bindingSpec }: PolicyKind, resource: string): Promise<void> {
  const resourceRules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: [resource] }]
  const policy = { metadata: { name }, spec: { ...spec, matchConstraints: { resourceRules } } }
  expect((await ask('POST', `${group}/${policies}`, policy)).status).toBe(201)
  const binding = { metadata: { name }, spec: { ...bindingSpec, policyName: name } }
  expect((await ask('POST', `${group}/${bindings}`, binding)).status).toBe(201)
}

/** Returns whether a policy refused or changed the creation of a config map. */
async function isEnforced(): Promise<boolean> {
  const path = '/api/v1/namespaces/default/configmaps?dryRun=All'
  const { status, data, message } = await ask('POST', path, { metadata: { name: 'x' }, data: { key: 'value' } })
  expect([201, 422], message).toContain(status)
  return status === 422 || data?.['mutated'] === 'yes'
}

test.each(kinds)('enforces $policies within 100 ms of their creation', { timeout: 60_000 }, async (kind) => {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const name = `new-${round}`
    await addPolicy(name, kind, 'configmaps')
    const created = performance.now()
    while (!(await isEnforced())) expect(performance.now() - created).toBeLessThan(10_000)
    times.push(performance.now() - created)
    await ask('DELETE', `${group}/${kind.bindings}/${name}`)
    while (await isEnforced()) expect(performance.now() - created).toBeLessThan(20_000)
  }
  // The median, because other programs can use the processor during a round.
  expect(times.toSorted((a, b) => a - b)[rounds / 2]).toBeLessThan(100)
})

test.each(kinds)('enforces $policies in no request after the deletion of their binding is seen', { timeout: 60_000 }, async (kind) => {
  let ends = false
  const writing = Array.from({ length: 4 }, async () => {
    while (!ends) await isEnforced()
  })
  for (let round = 0; round < rounds; round++) {
    const name = `old-${round}`
    await addPolicy(name, kind, 'configmaps')
    while (!(await isEnforced())) continue
    using watch = await openWatch(`${group}/${kind.bindings}?watch=1&fieldSelector=metadata.name=${name}`)
    await watch.next('ADDED')
    const deleting = ask('DELETE', `${group}/${kind.bindings}/${name}`)
    await watch.next('DELETED')
    expect(await Promise.all(Array.from({ length: 3 }, isEnforced))).toEqual([false, false, false])
    await deleting
  }
  ends = true
  await Promise.all(writing)
})

test('enforces no policy after the response to the deletion of its binding', { timeout: 60_000 }, async () => {
  for (let round = 0; round < rounds; round++) {
    const name = `gone-${round}`
    await addPolicy(name, kinds[0]!, 'configmaps')
    while (!(await isEnforced())) continue
    await askServer(chain, 'DELETE', `${group}/${kinds[0]!.bindings}/${name}`)
    expect(await isEnforced()).toBe(false)
  }
})

/** Opens a watch in the process of the server, so that its events arrive without a connection's delay. */
async function openWatch(path: string): Promise<Disposable & { next(type: string): Promise<void> }> {
  const controller = new AbortController()
  const { body } = await chain.fetch(path, { user, signal: controller.signal })
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  return {
    async next(type) {
      for (let text = ''; !text.includes(`"type":"${type}"`);) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`the watch ended before an event of the type ${type}`)
        text += value
      }
    },
    [Symbol.dispose]: () => controller.abort(),
  }
}
