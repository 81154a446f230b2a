import type { PolicyRule } from '@keelson/api/rbac/v1'
import { expect, test } from 'vitest'
import { describeRules, findMissingRules } from './rule-coverage.ts'

const createRule = (verbs: string, resources: string, overrides: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: [''],
  resources: resources.split(' '),
  ...overrides,
})
const createUrlRule = (verbs: string, nonResourceURLs: string): PolicyRule => ({
  verbs: verbs.split(' '),
  nonResourceURLs: nonResourceURLs.split(' '),
})

const describeMissingRules = async (held: PolicyRule[], requestedRules: PolicyRule[]): Promise<string> =>
  describeRules(await findMissingRules(held, requestedRules))

test.each<[string, PolicyRule[], PolicyRule[]]>([
  ['the same rule', [createRule('get list', 'pods')], [createRule('list', 'pods')]],
  ['several rules together', [createRule('get', 'pods'), createRule('list', 'pods')], [createRule('get list', 'pods')]],
  ['wildcards', [createRule('*', '*', { apiGroups: ['*'] })], [createRule('*', '*', { apiGroups: ['*'] }), createRule('get', 'a/b')]],
  ['all names', [createRule('get', 'pods')], [createRule('get', 'pods', { resourceNames: ['a'] })]],
  ['a subresource of all resources', [createRule('get', '*/scale')], [createRule('get', 'pods/scale')]],
  ['paths below', [createUrlRule('get', '/api/*')], [createUrlRule('get', '/api/v1 /api/*')]],
  ['nothing', [], []],
])('covers: %s', async (_name, held, requestedRules) => {
  expect(await describeMissingRules(held, requestedRules)).toBe('')
})

test.each<[string, PolicyRule[], PolicyRule[], string]>([
  [
    'verbs of one object are printed together, objects sorted',
    [],
    [createRule('get list', 'secrets pods'), createRule('watch', 'pods')],
    `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list" "watch"]}
{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}`,
  ],
  [
    'one name is not all names',
    [createRule('get', 'pods', { resourceNames: ['a'] })],
    [createRule('get', 'pods'), createRule('get', 'pods', { resourceNames: ['a', 'b'] })],
    `{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}
{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`,
  ],
  [
    'a resource is not its subresources',
    [createRule('get', 'pods')],
    [createRule('get', 'pods/log')],
    '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
  ],
  [
    'all verbs are more than each of them',
    [createRule('get list', 'pods')],
    [createRule('*', 'pods')],
    '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
  ],
  [
    'paths are printed one verb at a time',
    [createUrlRule('get', '/a*')],
    [createUrlRule('get post', '/ab /b')],
    `{NonResourceURLs:["/ab"], Verbs:["post"]}
{NonResourceURLs:["/b"], Verbs:["get"]}
{NonResourceURLs:["/b"], Verbs:["post"]}`,
  ],
])('does not cover: %s', async (_name, held, requestedRules, expected) => {
  expect(await describeMissingRules(held, requestedRules)).toBe(expected)
})
