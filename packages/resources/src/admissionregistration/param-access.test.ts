import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { testContext } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { createPolicyBindingHooks, createPolicyHooks } from './param-access.ts'
import type { ParamAccess, ParamAuthority } from './param-access.ts'
import { validatingAdmissionPolicies } from './validatingadmissionpolicies/index.ts'
import { validatingAdmissionPolicyBindings } from './validatingadmissionpolicybindings/index.ts'

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' }
const createPolicy = (paramKind?: object): ValidatingAdmissionPolicy => ({
  metadata: { name: 'p' },
  spec: {
    failurePolicy: 'Fail',
    ...(paramKind && { paramKind }),
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
    },
    validations: [{ expression: 'true' }],
  },
})
const createBinding = (paramRef?: object, policyName = 'p'): ValidatingAdmissionPolicyBinding => ({
  metadata: { name: 'b' },
  spec: { policyName, validationActions: ['Deny'], ...(paramRef && { paramRef: { parameterNotFoundAction: 'Deny', ...paramRef } }) },
})

/** An authority that allows only the user "reader" to read config maps. */
const checks: ParamAccess[] = []
const authority: ParamAuthority = {
  async allows({ user }, access) {
    checks.push(access)
    return user.name === 'reader' && access.group === '' && access.resource === 'configmaps'
  },
  findResource: ({ kind }) => (kind === 'ConfigMap' ? 'configmaps' : undefined),
  findPolicy: async (name) => (name === 'p' ? createPolicy(configMaps) : undefined),
}
const createUserContext = (name: string, groups: string[] = ['g']): RequestContext => ({ ...testContext(''), user: { name, groups } })
const options = { dryRun: false }
const policies = createPolicyHooks(validatingAdmissionPolicies, authority)
const bindings = createPolicyBindingHooks(validatingAdmissionPolicyBindings, authority)

describe('parameter access of policy writers', () => {
  const write = async (context: RequestContext, created: ValidatingAdmissionPolicy): Promise<unknown> =>
    policies.beginCreate!(context, created, options)

  it('requires "get" on all objects of the paramKind', async () => {
    await write(createUserContext('reader'), createPolicy(configMaps))
    expect(checks.at(-1)).toEqual({ verb: 'get', group: '', version: 'v1', resource: 'configmaps', namespace: '*', name: '*' })
    await write(createUserContext('alice'), createPolicy())
    await write(createUserContext('root', ['system:masters']), createPolicy(configMaps))
    await expect(write(createUserContext('alice'), createPolicy(configMaps))).rejects.toMatchObject({
      code: 422,
      details: {
        causes: [
          {
            field: 'spec.paramKind',
            message:
              'Forbidden: user &{alice  [g] map[]} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)',
          },
        ],
      },
    })
    await expect(write(createUserContext('reader'), createPolicy({ apiVersion: 'v1', kind: 'Other' }))).rejects.toMatchObject({ code: 422 })
  })

  it('skips the check if the paramKind is unchanged', async () => {
    await policies.beginUpdate!(createUserContext('alice'), createPolicy(configMaps), createPolicy(configMaps), options)
    await expect(async () =>
      policies.beginUpdate!(createUserContext('alice'), createPolicy(configMaps), createPolicy(), options),
    ).rejects.toMatchObject({ code: 422 })
  })

  it('does not check invalid objects', async () => {
    const wrong = createPolicy(configMaps)
    delete wrong.spec!.validations
    await write(createUserContext('alice'), wrong)
  })
})

describe('parameter access of binding writers', () => {
  const write = async (context: RequestContext, created: ValidatingAdmissionPolicyBinding): Promise<unknown> =>
    bindings.beginCreate!(context, created, options)

  it.each([
    [{ name: 'x', namespace: 'ns' }, 'p', 'user &{alice  [g] map[]} does not have "get" permission on the object referenced by paramRef'],
    [{ selector: {} }, 'p', 'user &{alice  [g] map[]} does not have "list" permission on the object referenced by paramRef'],
    [
      { name: 'x' },
      'gone',
      'unable to get policy gone to determine minimum required permissions and user &{alice  [g] map[]} does not have "get" permission for all groups, versions and resources',
    ],
  ])('rejects paramRef %j of policy %s', async (paramRef, policyName, message) => {
    await expect(write(createUserContext('alice'), createBinding(paramRef, policyName))).rejects.toThrow(message)
  })

  it('allows bindings to readable parameters', async () => {
    await write(createUserContext('reader'), createBinding({ name: 'x', namespace: 'ns' }))
    expect(checks.at(-1)).toEqual({ verb: 'get', group: '', version: 'v1', resource: 'configmaps', namespace: 'ns', name: 'x' })
    await write(createUserContext('alice'), createBinding())
    await bindings.beginUpdate!(createUserContext('alice'), createBinding({ name: 'x' }), createBinding({ name: 'x' }), options)
  })
})
