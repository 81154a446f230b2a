import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { testContext } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { createPolicyBindingHooks, createPolicyHooks } from './param-access.ts'
import type { ParamAccess, ParamAuthority } from './param-access.ts'
import { validatingAdmissionPolicies } from './validatingadmissionpolicies/index.ts'
import { validatingAdmissionPolicyBindings } from './validatingadmissionpolicybindings/index.ts'

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' }
const policy = (paramKind?: object): ValidatingAdmissionPolicy => ({
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
const binding = (paramRef?: object, policyName = 'p'): ValidatingAdmissionPolicyBinding => ({
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
  resourceOf: ({ kind }) => (kind === 'ConfigMap' ? 'configmaps' : undefined),
  policy: async (name) => (name === 'p' ? policy(configMaps) : undefined),
}
const as = (name: string, groups: string[] = ['g']): RequestContext => ({ ...testContext(''), user: { name, groups } })
const options = { dryRun: false }
const policies = createPolicyHooks(validatingAdmissionPolicies, authority)
const bindings = createPolicyBindingHooks(validatingAdmissionPolicyBindings, authority)

describe('parameter access of policy writers', () => {
  const write = async (context: RequestContext, created: ValidatingAdmissionPolicy): Promise<unknown> =>
    policies.beginCreate!(context, created, options)

  it('requires "get" on all objects of the paramKind', async () => {
    await write(as('reader'), policy(configMaps))
    expect(checks.at(-1)).toEqual({ verb: 'get', group: '', version: 'v1', resource: 'configmaps', namespace: '*', name: '*' })
    await write(as('alice'), policy())
    await write(as('root', ['system:masters']), policy(configMaps))
    await expect(write(as('alice'), policy(configMaps))).rejects.toMatchObject({
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
    await expect(write(as('reader'), policy({ apiVersion: 'v1', kind: 'Other' }))).rejects.toMatchObject({ code: 422 })
  })

  it('skips the check if the paramKind is unchanged', async () => {
    await policies.beginUpdate!(as('alice'), policy(configMaps), policy(configMaps), options)
    await expect(async () => policies.beginUpdate!(as('alice'), policy(configMaps), policy(), options)).rejects.toMatchObject({ code: 422 })
  })

  it('does not check invalid objects', async () => {
    const wrong = policy(configMaps)
    delete wrong.spec!.validations
    await write(as('alice'), wrong)
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
    await expect(write(as('alice'), binding(paramRef, policyName))).rejects.toThrow(message)
  })

  it('allows bindings to readable parameters', async () => {
    await write(as('reader'), binding({ name: 'x', namespace: 'ns' }))
    expect(checks.at(-1)).toEqual({ verb: 'get', group: '', version: 'v1', resource: 'configmaps', namespace: 'ns', name: 'x' })
    await write(as('alice'), binding())
    await bindings.beginUpdate!(as('alice'), binding({ name: 'x' }), binding({ name: 'x' }), options)
  })
})
