import type { ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import { checkedCustomResources, gadgets } from './checked-custom-resources.fixture.ts'
import { checkedFields } from './checked-fields.fixture.ts'
import { checkedRules } from './checked-rules.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'

let chain: ServerChain
beforeAll(async () => {
  chain = await startChain({ controllers: ['validatingadmissionpolicy-status-controller'] })
  await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', gadgets)
  await vi.waitUntil(async () => (await askServer(chain, 'GET', '/apis/test.example.com/v1')).status === 200)
})
afterAll(() => chain.close())

async function ask(method: string, path: string, body?: object): Promise<ValidatingAdmissionPolicy> {
  return (await askServer<ValidatingAdmissionPolicy>(chain, method, path, { body })).body
}

/** Waits until the controller has checked the types of a policy. */
async function checkPolicy(name: string, generation: number): Promise<ValidatingAdmissionPolicy> {
  let policy!: ValidatingAdmissionPolicy
  await expect
    .poll(async () => {
      policy = await ask('GET', `${policies}/${name}`)
      return policy.status?.observedGeneration
    })
    .toBe(generation)
  return policy
}

/** Removes the random digits after the name of a kind. */
function withoutDigits(text: string): string {
  return text.replace(/(\(|, )([A-Z][a-z]+)\d+\./g, '$1$2.')
}

const checkedPolicies = [...checkedFields, ...checkedRules, ...checkedCustomResources]

test.each(checkedPolicies.map((policy, i) => [`p${i}`, policy] as const))(
  'warns like kube-controller-manager (%s)',
  async (name, { rules, warnings, ...spec }) => {
    const resourceRules = rules.map((rule) => ({ operations: ['CREATE'], ...rule }))
    await ask('POST', policies, { metadata: { name }, spec: { ...spec, matchConstraints: { resourceRules } } })
    const { status } = await checkPolicy(name, 1)
    const foundWarnings = (status!.typeChecking!.expressionWarnings ?? []).map(({ fieldRef, warning }) => [
      fieldRef,
      withoutDigits(warning),
    ])
    expect(Object.fromEntries(foundWarnings)).toEqual(
      Object.fromEntries(Object.entries(warnings).map(([field, text]) => [field, withoutDigits(text)])),
    )
  },
)

test('checks a policy again when its spec changes, and applies the status', async () => {
  const matchConstraints = { resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }] }
  const policy = await ask('POST', policies, {
    metadata: { name: 'x' },
    spec: { matchConstraints, validations: [{ expression: 'object.a == 1' }] },
  })
  const first = await checkPolicy('x', 1)
  expect(first.status!.typeChecking!.expressionWarnings).toHaveLength(1)
  expect(first.metadata.managedFields).toContainEqual(
    expect.objectContaining({ manager: 'validatingadmissionpolicy-status', operation: 'Apply', subresource: 'status' }),
  )
  const { resourceVersion } = first.metadata
  await ask('PUT', `${policies}/x`, {
    ...policy,
    metadata: { name: 'x', resourceVersion },
    spec: { ...policy.spec, validations: [{ expression: 'true' }] },
  })
  expect((await checkPolicy('x', 2)).status?.typeChecking?.expressionWarnings).toBeUndefined()
})
