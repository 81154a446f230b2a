import { describe, expect, it, test } from 'vitest'
import { createPathAction, createResourceAction } from '@keelson/apimachinery'
import { compilePolicy } from './evaluate-policy.ts'
import { parseAuditPolicy } from './parse-policy.ts'

const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n'
const parse = (text: string): ReturnType<typeof parseAuditPolicy> => parseAuditPolicy(head + text)

describe('a policy file', () => {
  test.each([
    ['rules: []', 'loaded illegal policy with 0 rules'],
    ['rules: [{}]', 'rules[0].level: Required value'],
    [
      'rules: [{level: All}]',
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      'rules: [{level: None, nonResourceURLs: [/a*/b, b]}]',
      `[rules[0].nonResourceURLs[0]: Invalid value: "/a*/b": non-resource URL wildcards '*' must be the final character of the rule, rules[0].nonResourceURLs[1]: Invalid value: "b": non-resource URL rules must begin with a '/' character]`,
    ],
    [
      'rules: [{level: None, resources: [{resourceNames: [a]}]}]',
      'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
    ],
    [
      'rules: [{level: None, namespaces: [a], nonResourceURLs: [/b]}]',
      'rules[0].nonResourceURLs: Invalid value: ["/b"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'omitStages: [Request]\nrules: [{level: None}]',
      'omitStages[0]: Invalid value: "Request": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
  ])('is rejected if it is %s', (text, problem) => {
    expect(() => parse(text)).toThrow(problem)
  })

  it('must name its kind and a known version', () => {
    expect(() => parseAuditPolicy('{}')).toThrow("Object 'Kind' is missing in '{}'")
    expect(() => parseAuditPolicy('apiVersion: audit.k8s.io/v1beta1\nkind: Policy')).toThrow('no kind "Policy" is registered for version')
  })

  it('may have unknown and duplicate fields, which are reported', () => {
    expect(parse('rules: [{level: None, level: Metadata, color: red}]').warning).toBe(
      'strict decoding error: yaml: unmarshal errors:\n  line 3: key "level" already set in map, unknown field "rules[0].color"',
    )
  })
})

const alice = { name: 'alice', groups: ['dev', 'ops'] }
const createAction = (text: string) => {
  const [verb = '', group = '', resource = '', name = '', namespace = ''] = text.split(' ')
  const [plural = '', subresource = ''] = resource.split('/')
  return createResourceAction({ verb, apiGroup: group === 'core' ? '' : group, resource: plural, subresource, name, namespace })
}

describe('the first rule that matches decides', () => {
  test.each([
    ['users: [bob]', 'get core pods', false],
    ['users: [bob, alice]', 'get core pods', true],
    ['userGroups: [ops]', 'get core pods', true],
    ['userGroups: [admins]', 'get core pods', false],
    ['verbs: [list]', 'get core pods', false],
    ['resources: [{group: ""}]', 'get core pods/log', true],
    ['resources: [{group: apps}]', 'get core pods', false],
    ['resources: [{group: "*", resources: [pods]}]', 'get core pods', true],
    ['resources: [{resources: [pods]}]', 'get core pods/log', false],
    ['resources: [{resources: [pods/log]}]', 'get core pods/log', true],
    ['resources: [{resources: [pods/*]}]', 'get core pods/log', true],
    ['resources: [{resources: [pods/*]}]', 'get core pods', true],
    ['resources: [{resources: ["*/log"]}]', 'get core pods/log', true],
    ['resources: [{resources: ["*/log"]}]', 'get core pods', false],
    ['resources: [{resources: ["*"]}]', 'get core pods/log', true],
    ['resources: [{resources: [pods], resourceNames: [a]}]', 'get core pods a', true],
    ['resources: [{resources: [pods], resourceNames: [a]}]', 'get core pods b', false],
    ['namespaces: [x]', 'get core pods a x', true],
    ['namespaces: [""]', 'get core nodes a', true],
    ['namespaces: [x]', 'get core nodes a', false],
    ['nonResourceURLs: [/api]', 'get core pods', false],
  ])('%s for %s: %s', (rule, request, matches) => {
    const evaluate = compilePolicy(parse(`rules: [{level: Request, ${rule}}]`).policy)
    expect(evaluate(alice, createAction(request)).level).toBe(matches ? 'Request' : 'None')
  })

  test.each([
    ['/healthz', '/healthz', true],
    ['/healthz*', '/healthz/etcd', true],
    ['/healthz', '/healthz/etcd', false],
    ['*', '/anything', true],
  ])('%s for the path %s: %s', (pattern, path, matches) => {
    const evaluate = compilePolicy(parse(`rules: [{level: Metadata, nonResourceURLs: ["${pattern}"]}]`).policy)
    expect(evaluate(alice, createPathAction('get', path)).level).toBe(matches ? 'Metadata' : 'None')
  })

  it('combines the omitted stages of policy and rule, and prefers managed fields of the rule', () => {
    const { policy } = parse(
      'omitStages: [RequestReceived]\nomitManagedFields: true\nrules: [{level: None, users: [bob]}, {level: Request, omitStages: [Panic], omitManagedFields: false}]',
    )
    const config = compilePolicy(policy)(alice, createAction('get core pods'))
    expect([config.level, [...config.omitStages].toSorted(), config.omitManagedFields]).toEqual([
      'Request',
      ['Panic', 'RequestReceived'],
      false,
    ])
  })
})
