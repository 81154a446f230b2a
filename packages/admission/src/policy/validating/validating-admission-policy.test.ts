import type { Validation } from '@keelson/api/admissionregistration/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AdmissionAttributes } from '../../admission.ts'
import { update, write } from '../../plugin.fixture.ts'
import type { TestWrite } from '../../plugin.fixture.ts'
import { createFailingValidation, openPolicyCluster } from './policies.fixture.ts'
import type { PolicyCluster } from './policies.fixture.ts'

let policies: PolicyCluster
beforeEach(async () => {
  policies = openPolicyCluster()
  await policies.cluster.create('namespaces', { metadata: { name: 'ns', labels: { team: 'a' } } })
})
afterEach(() => policies[Symbol.asyncDispose]())

const createConfigMap = (data: Record<string, string> = {}, overrides: Partial<AdmissionAttributes> = {}): TestWrite =>
  write('configmaps', { metadata: { name: 'a' }, data } as KubeObject, overrides)
const formatDenial = (policy: string, message: string): string =>
  `configmaps "a" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${message}`

describe('messages', () => {
  it.each<[string, Partial<Validation>, string]>([
    ['the expression', { expression: ' 1 == 2 ' }, 'failed expression: 1 == 2'],
    ['the message', { message: ' not today ' }, 'not today'],
    ['the message expression', { message: 'unused', messageExpression: "'found ' + object.data.a" }, 'found x'],
    ['the message if the expression fails', { message: 'fixed', messageExpression: 'object.data.none' }, 'fixed'],
    ['the message if the expression is blank', { message: 'fixed', messageExpression: "'  '" }, 'fixed'],
    ['the message if the expression has several lines', { message: 'fixed', messageExpression: "'a\\nb'" }, 'fixed'],
    [
      'the message if the expression is long',
      {
        message: 'fixed',
        messageExpression: "'aaaaaaaaaa'.replace('a', 'bbbbbbbbbbbbbbbbbbbb').replace('b', 'cccccccccccccccccccccccccccccc')",
      },
      'fixed',
    ],
  ])('uses %s', async (_, validation, message) => {
    await policies.add('p', { validations: [createFailingValidation(validation)] })
    expect(await policies.refusal(createConfigMap({ a: 'x' }))).toBe(formatDenial('p', message))
  })

  it.each([
    [undefined, 'Invalid', 422],
    ['Forbidden', 'Forbidden', 403],
    ['Unauthorized', 'Unauthorized', 401],
    ['RequestEntityTooLarge', 'RequestEntityTooLarge', 413],
  ])('answers the reason %s with %s and %i', async (reason, expected, code) => {
    await policies.add('p', { validations: [createFailingValidation(reason === undefined ? {} : { reason })] })
    const message = formatDenial('p', 'failed expression: false').replace('configmaps "a" is forbidden: ', '')
    await expect(policies.plugin.validate!(createConfigMap())).rejects.toMatchObject({
      status: { reason: expected, code, details: { name: 'a', kind: 'configmaps', causes: [{ message }] } },
    })
  })

  it('answers with the first denial, by name of the policy and order of the validations', async () => {
    await policies.add('b', { validations: [createFailingValidation()] })
    await policies.add('a', {
      validations: [{ expression: 'true' }, createFailingValidation({ message: 'second' }), createFailingValidation({ message: 'third' })],
    })
    expect(await policies.refusal(createConfigMap())).toBe(formatDenial('a', 'second'))
  })
})

describe('actions', () => {
  it('warns, annotates and denies', async () => {
    const annotations: Record<string, string> = {}
    const attributes = createConfigMap({}, { annotate: (key, value) => void (annotations[key] = value) })
    await policies.add(
      'p',
      { validations: [createFailingValidation({ message: 'first' }), { expression: 'true' }] },
      { validationActions: ['Warn', 'Audit'] },
    )
    expect(await policies.refusal(attributes)).toBeUndefined()
    expect(attributes.warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': first"])
    expect(annotations).toEqual({
      'validation.policy.admission.k8s.io/validation_failure':
        '[{"message":"first","policy":"p","binding":"p","expressionIndex":0,"validationActions":["Warn","Audit"]}]',
    })
  })

  it('counts checks by policy, binding and action', async () => {
    await policies.add('p', { validations: [createFailingValidation()] }, { validationActions: ['Warn', 'Deny'] })
    await policies.add('q', { validations: [{ expression: 'object.none == 1' }], failurePolicy: 'Ignore' })
    await policies.refusal(createConfigMap())
    const formatSeries = (policy: string, action: string): string =>
      `apiserver_validating_admission_policy_check_total{enforcement_action="${action}",error_type="invalid_error",policy="${policy}",policy_binding="${policy}"} 1`
    const text = policies.metrics.text()
    for (const line of [formatSeries('p', 'warn'), formatSeries('p', 'deny'), formatSeries('q', 'allow')]) expect(text).toContain(line)
    expect(text).toMatch(/apiserver_cel_evaluation_duration_seconds_count [1-9]/)
  })
})

describe('failing expressions', () => {
  const invalid = { expression: 'object.none == 1' }

  it('denies by default, and admits with the failure policy Ignore', async () => {
    await policies.add('p', { validations: [invalid] })
    expect(await policies.refusal(createConfigMap())).toBe(
      formatDenial('p', "expression 'object.none == 1' resulted in error: no such key: none"),
    )
    await policies.cluster.resource('validatingadmissionpolicybindings').delete('', 'p')
    await policies.add('q', { validations: [invalid], failurePolicy: 'Ignore' })
    expect(await policies.refusal(createConfigMap())).toBeUndefined()
  })

  it('denies if an expression does not compile', async () => {
    await policies.add('p', { validations: [{ expression: 'unknown' }] })
    expect(await policies.refusal(createConfigMap())).toMatch(
      /denied request: compilation error: compilation failed: ERROR: <input>:1:1: undeclared/,
    )
  })

  const expensive =
    '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a + b + c + d + e >= 0)))))'

  it('ends with an error when the expressions of a policy exceed their budget', async () => {
    await policies.add('p', { validations: Array.from({ length: 15 }, () => ({ expression: expensive })) })
    const message = 'validation failed due to running out of cost budget, no further validation rules will be run'
    expect(await policies.refusal(createConfigMap())).toBe(formatDenial('p', message))
  })

  it('denies if message expressions exceed the budget, although all validations are true', async () => {
    const messageExpression = `string(${expensive})`
    await policies.add('p', { validations: Array.from({ length: 15 }, () => ({ expression: 'true', messageExpression })) })
    expect(await policies.refusal(createConfigMap())).toMatch(
      /denied request: failed messageExpression: validation failed due to running out/,
    )
  })
})

describe('variables', () => {
  it('are evaluated when an expression uses them, and can use earlier ones', async () => {
    const variables = [
      { name: 'boom', expression: 'object.none' },
      { name: 'name', expression: 'object.metadata.name' },
      { name: 'long', expression: 'variables.name.size() > 3' },
    ]
    await policies.add('p', {
      variables,
      validations: [{ expression: '!variables.long', messageExpression: "'too long: ' + variables.name" }],
    })
    expect(await policies.refusal(createConfigMap())).toBeUndefined()
    expect(await policies.refusal(write('configmaps', { metadata: { name: 'long' } }))).toContain('denied request: too long: long')
  })

  it('report why they fail', async () => {
    const variables = [{ name: 'boom', expression: 'object.none' }]
    await policies.add('p', { variables, validations: [{ expression: 'variables.boom == 1' }] })
    const message = `expression 'variables.boom == 1' resulted in error: composited variable "boom" fails to evaluate: no such key: none`
    expect(await policies.refusal(createConfigMap())).toBe(formatDenial('p', message))
  })
})

describe('values', () => {
  it.each([
    ["object.kind == 'ConfigMap' && object.apiVersion == 'v1' && oldObject == null"],
    ["request.operation == 'CREATE' && request.name == 'a' && request.namespace == 'ns' && !request.dryRun"],
    ["request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && !has(request.subResource)"],
    ["request.userInfo.username == 'tester' && 'system:masters' in request.userInfo.groups && !has(request.userInfo.uid)"],
    ["namespaceObject.metadata.name == 'ns' && namespaceObject.metadata.labels.team == 'a'"],
    ["authorizer.group('apps').resource('deployments').namespace('x').check('delete').allowed()"],
    ["authorizer.requestResource.check('fly').allowed()"],
    ["!authorizer.requestResource.check('swim').allowed()"],
    ["authorizer.serviceAccount('ns', 'b').group('').resource('pods').check('get').reason() == 'not listed'"],
  ])('%s', async (expression) => {
    policies.cluster.allowed.add('delete apps/deployments in x').add('fly configmaps a in ns')
    await policies.add('p', { validations: [{ expression }] })
    expect(await policies.refusal(createConfigMap())).toBeUndefined()
  })

  it('are the old object for an update and a deletion', async () => {
    await policies.add('p', {
      validations: [{ expression: "oldObject.data.a == '1' && (request.operation == 'DELETE' ? object == null : object.data.a == '2')" }],
    })
    const old = { metadata: { name: 'a' }, data: { a: '1' } } as KubeObject
    expect(await policies.refusal(update('configmaps', old, { metadata: { name: 'a' }, data: { a: '2' } } as KubeObject))).toBeUndefined()
    expect(await policies.refusal(write('configmaps', undefined, { operation: 'DELETE', oldObject: old, name: 'a' }))).toBeUndefined()
  })

  it('have no namespace for a cluster-wide object', async () => {
    const rule = { operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['nodes'] }
    await policies.add('p', { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'namespaceObject == null' }] })
    expect(await policies.refusal(write('nodes', { metadata: { name: 'n' } }))).toBeUndefined()
  })
})

describe('matching', () => {
  it('skips writes that the policy or the binding does not match', async () => {
    await policies.add(
      'p',
      { validations: [createFailingValidation()] },
      { matchResources: { namespaceSelector: { matchLabels: { team: 'b' } } } },
    )
    expect(await policies.refusal(createConfigMap())).toBeUndefined()
    expect(await policies.refusal(write('services', { metadata: { name: 'a' } }))).toBeUndefined()
  })

  it('skips writes that match conditions exclude, and applies the failure policy to their errors', async () => {
    await policies.add('p', {
      matchConditions: [{ name: 'named', expression: "object.metadata.name != 'a'" }],
      validations: [createFailingValidation()],
    })
    expect(await policies.refusal(createConfigMap())).toBeUndefined()
    expect(await policies.refusal(write('configmaps', { metadata: { name: 'b' } }))).toContain('denied request: failed expression: false')
    await policies.add('o', { matchConditions: [{ name: 'broken', expression: 'object.none' }], validations: [createFailingValidation()] })
    expect(await policies.refusal(createConfigMap())).toContain(
      "'o' with binding 'o' denied request: compilation error: must evaluate to bool",
    )
  })

  it('does not apply to policies and reviews', async () => {
    const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }
    await policies.add('p', { matchConstraints: { resourceRules: [everything] }, validations: [createFailingValidation()] })
    expect(await policies.refusal(write('validatingadmissionpolicies', { metadata: { name: 'x' } }))).toBeUndefined()
    const review = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' }
    expect(await policies.refusal(createConfigMap({}, { resource: review }))).toBeUndefined()
    expect(await policies.refusal(write('services', { metadata: { name: 'x' } }))).toBeDefined()
  })

  it('answers 404 if the namespace does not exist', async () => {
    await policies.add('p', { validations: [createFailingValidation()] })
    await expect(policies.plugin.validate!(createConfigMap({}, { namespace: 'none' }))).rejects.toMatchObject({ code: 404 })
  })
})

describe('audit annotations', () => {
  const annotate = async (valueExpression: string, failurePolicy = 'Fail'): Promise<unknown> => {
    const annotations: Record<string, string> = {}
    await policies.add('p', { failurePolicy, auditAnnotations: [{ key: 'k', valueExpression }] })
    const refusal = await policies.refusal(createConfigMap({ a: 'x' }, { annotate: (key, value) => void (annotations[key] = value) }))
    return refusal ?? annotations
  }

  it.each([
    ["' a=' + object.data.a + ' '", { 'p/k': 'a=x' }],
    ['null', {}],
    ["'  '", {}],
  ])('%s gives %j', async (expression, expected) => {
    expect(await annotate(expression)).toEqual(expected)
  })

  it('deny if they fail, unless the policy ignores failures', async () => {
    expect(await annotate('string(object.none)')).toBe(
      formatDenial('p', "expression 'string(object.none)' resulted in error: no such key: none"),
    )
  })

  it('are left out if they fail and the policy ignores failures', async () => {
    expect(await annotate('string(object.none)', 'Ignore')).toEqual({})
  })

  it('have the values of all bindings, without duplicates', async () => {
    const annotations: Record<string, string> = {}
    for (const [name, v] of [
      ['x', '1'],
      ['y', '2'],
      ['z', '2'],
    ]) {
      await policies.cluster.create('configmaps', { metadata: { name, labels: { param: 'yes' } }, data: { v } } as KubeObject)
    }
    await policies.add(
      'p',
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, auditAnnotations: [{ key: 'k', valueExpression: 'string(params.data.v)' }] },
      { paramRef: { selector: { matchLabels: { param: 'yes' } }, parameterNotFoundAction: 'Deny' } },
    )
    expect(await policies.refusal(createConfigMap({}, { annotate: (key, value) => void (annotations[key] = value) }))).toBeUndefined()
    expect(annotations).toEqual({ 'p/k': '1, 2' })
  })
})
