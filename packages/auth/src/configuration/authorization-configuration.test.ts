import { describe, expect, test } from 'vitest'
import { parseAuthorizationConfiguration } from './authorization-configuration.ts'
import { findAuthorizationConfigurationError } from './validate-authorization-configuration.ts'

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n'
const formatWebhook = (more = '', name = 'hook'): string =>
  `{type: Webhook, name: ${name}, webhook: {timeout: 3s, subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: InClusterConfig}${more}}}`
const parse = (...authorizers: string[]) => parseAuthorizationConfiguration(`${head}authorizers: [${authorizers.join(', ')}]`)
const findProblem = (...authorizers: string[]): string | undefined =>
  findAuthorizationConfigurationError(parse(...authorizers), {
    knownTypes: ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'],
    checkExpression: (expression) => (expression === 'bad' ? 'does not compile' : undefined),
    requiredTypes: authorizers.length === 2 ? ['Node', 'ABAC'] : undefined,
  })

test('sets the defaults of webhook authorizers', () => {
  expect(parse('{type: RBAC, name: rbac}', formatWebhook(', unauthorizedTTL: 1m30s')).authorizers).toEqual([
    { type: 'RBAC', name: 'rbac' },
    {
      type: 'Webhook',
      name: 'hook',
      webhook: {
        authorizedTtlMs: 300_000,
        cacheAuthorizedRequests: true,
        unauthorizedTtlMs: 90_000,
        cacheUnauthorizedRequests: true,
        timeoutMs: 3000,
        subjectAccessReviewVersion: 'v1',
        matchConditionSubjectAccessReviewVersion: '',
        failurePolicy: 'Deny',
        connectionInfo: { type: 'InClusterConfig' },
        matchConditions: [],
      },
    },
  ])
})

describe('decoding', () => {
  test.each([
    ['a: b: c', 'yaml: '],
    ['{"a": [b', "couldn't get version/kind; json parse error: invalid character 'b' looking for beginning of value"],
    ['apiVersion: apiserver.k8s.io/v1alpha1\nkind: AuthorizationConfiguration', 'no kind "AuthorizationConfiguration" is registered'],
    ['kind: AuthorizationConfiguration', "Object 'apiVersion' is missing in 'kind: AuthorizationConfiguration'"],
    ['apiVersion: apiserver.config.k8s.io/v1', "Object 'Kind' is missing"],
    ['apiVersion: v1\nkind: Secret', 'no kind "Secret" is registered for version "v1"'],
    [`${head}authorizers: [{typ: RBAC}]`, 'strict decoding error: unknown field "authorizers[0].typ"'],
    [`${head}authorizers: []\nauthorizers: []`, 'strict decoding error: '],
    [`${head}authorizers: {}`, 'json: cannot unmarshal object into Go struct field AuthorizationConfiguration.authorizers of type'],
    [`${head}authorizers: [${formatWebhook(', authorizedTTL: soon')}]`, 'time: invalid duration "soon"'],
  ])('rejects %s', (text, message) => {
    expect(() => parseAuthorizationConfiguration(text)).toThrow(message)
  })
})

describe('validation', () => {
  test.each([
    [[], 'authorizers: Required value: at least one authorization mode must be defined'],
    [['{name: a}'], 'authorizers[0].type: Required value'],
    [
      ['{type: Magic, name: magic}'],
      'authorizers[0].type: Unsupported value: "Magic": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
    ],
    [
      ['{type: RBAC, name: rbac}', '{type: RBAC, name: other}', '{type: AlwaysDeny, name: alwaysdeny}'],
      'authorizers[1].type: Duplicate value: "RBAC"',
    ],
    [['{type: RBAC}'], 'authorizers[0].name: Required value'],
    [['{type: RBAC, name: roles}'], 'expected name rbac for authorizer RBAC instead of roles'],
    [[formatWebhook(), formatWebhook(), formatWebhook('', 'other')], 'authorizers[1].name: Duplicate value: "hook"'],
    [['{type: Webhook, name: a}'], 'authorizers[0].webhook: Required value: required when type=Webhook'],
    [
      ['{type: RBAC, name: rbac, webhook: {}}'],
      'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
    ],
    [['{type: RBAC, name: rbac}', '{type: AlwaysAllow, name: alwaysallow}'], 'missing required types: [ABAC Node]'],
  ])('reports the error of authorizers %j', (authorizers, message) => {
    expect(findProblem(...authorizers)).toBe(message)
  })

  const at = 'authorizers[0].'
  test.each([
    ['timeout: 0s', `${at}timeout: Required value`],
    ['timeout: 31s', `${at}timeout: Invalid value: "31s": must be > 0s and <= 30s`],
    ['authorizedTTL: -1s', `${at}authorizedTTL: Invalid value: "-1s": must be > 0s`],
    ['subjectAccessReviewVersion: v2', `${at}subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"`],
    ['failurePolicy: Allow', `${at}failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"`],
    ['connectionInfo: {type: KubeConfigFile}', `${at}connectionInfo.kubeConfigFile: Required value`],
    [
      'connectionInfo: {type: KubeConfigFile, kubeConfigFile: a}',
      `${at}connectionInfo.kubeConfigFile: Invalid value: "a": must be an absolute path`,
    ],
    [
      'connectionInfo: {type: KubeConfigFile, kubeConfigFile: /nowhere}',
      `${at}connectionInfo.kubeConfigFile: Invalid value: "/nowhere": error loading file: stat /nowhere: no such file or directory`,
    ],
    [
      'matchConditions: [{expression: "true"}]',
      `${at}matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified`,
    ],
    [
      'matchConditionSubjectAccessReviewVersion: v1, matchConditions: [{expression: bad}]',
      `${at}matchConditions[0].expression: Invalid value: "bad": does not compile`,
    ],
    [
      'matchConditionSubjectAccessReviewVersion: v1, matchConditions: [{expression: a}, {expression: a}]',
      `${at}matchConditions[1].expression: Duplicate value: "a"`,
    ],
  ])('reports the error of a webhook with %s', (change, message) => {
    const members: Record<string, string> = {
      timeout: '3s',
      subjectAccessReviewVersion: 'v1',
      failurePolicy: 'Deny',
      connectionInfo: '{type: InClusterConfig}',
    }
    const changed = change.split(':')[0]!
    const unchanged = Object.entries(members).filter(([name]) => name !== changed)
    expect(
      findProblem(`{type: Webhook, name: a, webhook: {${[...unchanged.map(([name, value]) => `${name}: ${value}`), change].join(', ')}}}`),
    ).toBe(message)
  })
})
