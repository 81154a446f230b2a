import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

let chain: ServerChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.close())

interface Answer {
  readonly kind: string
  readonly message: string
}

async function ask(method: string, path: string, body?: object): Promise<string> {
  const { status, body: answer } = await askServer<Answer>(chain, method, path, { body })
  return status < 300 ? 'ok' : answer.message
}

const createRule = (resources: string[], apiGroups = ['']): object => ({ operations: ['*'], apiGroups, apiVersions: ['*'], resources })

/** Creates a policy and a binding with the same name. */
async function addPolicy(name: string, spec: object, binding: object = {}): Promise<void> {
  expect(await ask('POST', `${group}/validatingadmissionpolicies`, { metadata: { name }, spec })).toBe('ok')
  const bindingSpec = { policyName: name, validationActions: ['Deny'], ...binding }
  expect(await ask('POST', `${group}/validatingadmissionpolicybindings`, { metadata: { name }, spec: bindingSpec })).toBe('ok')
}

async function removePolicy(name: string): Promise<void> {
  await ask('DELETE', `${group}/validatingadmissionpolicybindings/${name}`)
  await ask('DELETE', `${group}/validatingadmissionpolicies/${name}`)
}

const createConfigMap = (data: object = {}): Promise<string> =>
  ask('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', { metadata: { name: 'x' }, data })
/** Waits until the message of a create contains a text. */
const waitForConfigMap = (text: string, data?: object): Promise<boolean> =>
  vi.waitUntil(async () => (await createConfigMap(data)).includes(text), { timeout: 5000, interval: 10 })

function createDefinition(versions: readonly { name: string; field: string }[]): object {
  return {
    metadata: { name: 'limits.policies.example.com' },
    spec: {
      group: 'policies.example.com',
      scope: 'Namespaced',
      names: { plural: 'limits', kind: 'Limit' },
      versions: versions.map(({ name, field }, i) => ({
        name,
        served: true,
        storage: i === 0,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { max: { type: 'integer' }, [field]: { type: 'string', default: field } } } },
          },
        },
      })),
    },
  }
}

test('reads parameters from custom resources that are defined later, and denies while they are not defined', async () => {
  const spec = {
    matchConstraints: { resourceRules: [createRule(['configmaps'])] },
    paramKind: { apiVersion: 'policies.example.com/v1', kind: 'Limit' },
    validations: [{ expression: 'object.data.size() <= params.spec.max', messageExpression: "'at most ' + string(params.spec.max)" }],
  }
  await addPolicy('limited', spec, { paramRef: { name: 'l', parameterNotFoundAction: 'Deny' } })
  await waitForConfigMap("failed to find resource referenced by paramKind: 'policies.example.com/v1, Kind=Limit'")
  await ask(
    'POST',
    definitions,
    createDefinition([
      { name: 'v1', field: 'a' },
      { name: 'v2', field: 'b' },
    ]),
  )
  await waitForConfigMap('no params found for policy binding')
  await ask('POST', '/apis/policies.example.com/v1/namespaces/default/limits', {
    apiVersion: 'policies.example.com/v1',
    kind: 'Limit',
    metadata: { name: 'l' },
    spec: { max: 1 },
  })
  await waitForConfigMap('denied request: at most 1', { a: '1', b: '2' })
  expect(await createConfigMap({ a: '1' })).toBe('ok')
  await removePolicy('limited')
})

test('reads parameters in the version of the policy', async () => {
  for (const version of ['v1', 'v2']) {
    const apiVersion = `policies.example.com/${version}`
    const spec = {
      matchConstraints: { resourceRules: [createRule(['configmaps'])] },
      paramKind: { apiVersion, kind: 'Limit' },
      // The field `a` exists only in v1.
      validations: [{ expression: 'false', messageExpression: 'params.apiVersion + (has(params.spec.a) ? " with a" : " without a")' }],
    }
    await addPolicy('versioned', spec, { paramRef: { name: 'l', parameterNotFoundAction: 'Deny' } })
    await waitForConfigMap(`denied request: ${apiVersion} ${version === 'v1' ? 'with' : 'without'} a`)
    await removePolicy('versioned')
    await waitForConfigMap('ok')
  }
})

test('converts built-in parameters to the version of the policy', async () => {
  await ask('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
    metadata: { name: 'h' },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 55 } } }],
    },
  })
  const spec = {
    matchConstraints: { resourceRules: [createRule(['configmaps'])] },
    paramKind: { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler' },
    validations: [{ expression: 'params.spec.targetCPUUtilizationPercentage != 55', message: 'converted' }],
  }
  await addPolicy('converted', spec, { paramRef: { name: 'h', parameterNotFoundAction: 'Deny' } })
  await waitForConfigMap('denied request: converted')
  await removePolicy('converted')
  await waitForConfigMap('ok')
})

test('matches writes through another version, and sees the objects in the version of the rule', async () => {
  const spec = {
    matchConstraints: {
      resourceRules: [{ ...createRule(['limits'], ['policies.example.com']), apiVersions: ['v1'] }],
      matchPolicy: 'Equivalent',
    },
    validations: [{ expression: 'object.spec.max < 5', messageExpression: "request.requestKind.version + ' ' + object.apiVersion" }],
  }
  await addPolicy('custom', spec)
  const create = (version: string): Promise<string> =>
    ask('POST', `/apis/policies.example.com/${version}/namespaces/default/limits?dryRun=All`, {
      apiVersion: `policies.example.com/${version}`,
      kind: 'Limit',
      metadata: { name: 'x' },
      spec: { max: 9 },
    })
  await vi.waitUntil(async () => (await create('v2')).includes('denied request: v2 policies.example.com/v1'), { timeout: 5000 })
  await removePolicy('custom')
})
