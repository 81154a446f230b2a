import type { MutatingAdmissionPolicy, ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import { describe, expect, it } from 'vitest'
import { validateMutatingPolicy } from './mutatingadmissionpolicies/validate.ts'
import { validateValidatingPolicy } from './validatingadmissionpolicies/validate.ts'

const rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'], operations: ['CREATE'], scope: '*' }
const common = {
  failurePolicy: 'Fail',
  matchConstraints: { resourceRules: [rule], matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
}

type ValidatingSpec = ValidatingAdmissionPolicy['spec']
type MutatingSpec = MutatingAdmissionPolicy['spec']

function validateValidatingToMessages(spec: ValidatingSpec, old?: ValidatingSpec): readonly string[] {
  const createPolicy = (ownSpec: ValidatingSpec): ValidatingAdmissionPolicy => ({
    metadata: { name: 'policy' },
    spec: { ...common, ...ownSpec },
  })
  return validateValidatingPolicy(createPolicy(spec), old === undefined ? {} : { old: createPolicy(old) }).map(
    ({ field, detail }) => `${field}: ${detail}`,
  )
}

function validateMutatingToMessages(spec: MutatingSpec): readonly string[] {
  const policy: MutatingAdmissionPolicy = { metadata: { name: 'policy' }, spec: { ...common, reinvocationPolicy: 'Never', ...spec } }
  return validateMutatingPolicy(policy).map(({ field, detail }) => `${field}: ${detail}`)
}

describe('expressions of policies', () => {
  it('must return the type that their field requires', () => {
    const messages = validateValidatingToMessages({
      matchConditions: [{ name: 'one', expression: 'request.name' }],
      validations: [{ expression: 'object.a', messageExpression: '1' }],
      auditAnnotations: [{ key: 'key', valueExpression: '1 == 1' }],
    })
    expect(messages).toEqual([
      'spec.matchConditions[0].expression: must evaluate to bool but got string',
      'spec.validations[0].expression: must evaluate to bool but got dyn',
      'spec.validations[0].messageExpression: must evaluate to string but got int',
      'spec.auditAnnotations[0].valueExpression: must evaluate to one of [string null_type] but got bool',
    ])
  })

  it('can use preceding variables with their types', () => {
    const variables = [
      { name: 'count', expression: 'object.items.size()' },
      { name: 'more', expression: 'variables.count + 1' },
      { name: 'bad', expression: 'variables.later' },
      { name: 'later', expression: '"a"' },
    ]
    const messages = validateValidatingToMessages({
      variables,
      validations: [{ expression: 'variables.more > 1 && variables.later == 1 && variables.bad' }],
    })
    expect(messages).toEqual([
      "spec.variables[2].expression: compilation failed: ERROR: <input>:1:10: undefined field 'later'\n | variables.later\n | .........^",
      "spec.validations[0].expression: compilation failed: ERROR: <input>:1:39: found no matching overload for '_==_' applied to '(string, int)'\n" +
        ` | variables.more > 1 && variables.later == 1 && variables.bad\n | ${'.'.repeat(38)}^`,
    ])
  })

  it('can use `variables` only if the policy defines some', () => {
    const expected = "compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.a\n | ^"
    expect(validateValidatingToMessages({ validations: [{ expression: 'variables.a' }] })).toEqual([
      `spec.validations[0].expression: ${expected}`,
    ])
  })

  it('can use `params` only with a paramKind, and no `authorizer` in messages', () => {
    const spec: ValidatingSpec = {
      validations: [{ expression: 'params.a == 1', messageExpression: 'authorizer.path("/a").check("get").reason()' }],
    }
    expect(validateValidatingToMessages({ ...spec, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })).toEqual([
      expect.stringContaining("undeclared reference to 'authorizer'"),
    ])
    expect(validateValidatingToMessages(spec)).toEqual([
      expect.stringContaining("undeclared reference to 'params'"),
      expect.stringContaining("undeclared reference to 'authorizer'"),
    ])
  })

  it('are compiled again after the paramKind is removed', () => {
    const validations = [{ expression: 'params.a == 1' }]
    const old: ValidatingSpec = { validations, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }
    expect(validateValidatingToMessages(old, old)).toEqual([])
    expect(validateValidatingToMessages({ validations }, old)).toEqual([expect.stringContaining("undeclared reference to 'params'")])
  })

  it('can build objects and patches only in mutations', () => {
    const mutations = [
      { patchType: 'ApplyConfiguration', applyConfiguration: { expression: ' Object{spec: Object.spec{replicas: 1}} ' } },
      { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/a", value: 1}]' } },
    ]
    expect(validateMutatingToMessages({ mutations })).toEqual([])
    expect(validateMutatingToMessages({ mutations, variables: [{ name: 'a', expression: 'Object{}' }] })).toEqual([
      expect.stringContaining("undeclared reference to 'Object'"),
    ])
    expect(validateMutatingToMessages({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: 'Object{}' } }] })).toEqual([
      'spec.mutations[0].jsonPatch.expression: must evaluate to list(JSONPatch) but got Object',
    ])
  })
})
