import type { PolicyRule } from '@keelson/api/rbac/v1'
import { expect, test } from 'vitest'
import { describeRules, findMissingRules } from './rule-coverage.ts'

const rule = (verbs: string, resources: string, rest: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: [''],
  resources: resources.split(' '),
  ...rest,
})
const urls = (verbs: string, nonResourceURLs: string): PolicyRule => ({
  verbs: verbs.split(' '),
  nonResourceURLs: nonResourceURLs.split(' '),
})

const missing = async (held: PolicyRule[], wanted: PolicyRule[]): Promise<string> => describeRules(await findMissingRules(held, wanted))

test.each<[string, PolicyRule[], PolicyRule[]]>([
  ['the same rule', [rule('get list', 'pods')], [rule('list', 'pods')]],
  ['several rules together', [rule('get', 'pods'), rule('list', 'pods')], [rule('get list', 'pods')]],
  ['wildcards', [rule('*', '*', { apiGroups: ['*'] })], [rule('*', '*', { apiGroups: ['*'] }), rule('get', 'a/b')]],
  ['all names', [rule('get', 'pods')], [rule('get', 'pods', { resourceNames: ['a'] })]],
  ['a subresource of all resources', [rule('get', '*/scale')], [rule('get', 'pods/scale')]],
  ['paths below', [urls('get', '/api/*')], [urls('get', '/api/v1 /api/*')]],
  ['nothing', [], []],
])('covers: %s', async (_name, held, wanted) => {
  expect(await missing(held, wanted)).toBe('')
})

test.each<[string, PolicyRule[], PolicyRule[], string]>([
  [
    'verbs of one object are printed together, objects sorted',
    [],
    [rule('get list', 'secrets pods'), rule('watch', 'pods')],
    `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list" "watch"]}
{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}`,
  ],
  [
    'one name is not all names',
    [rule('get', 'pods', { resourceNames: ['a'] })],
    [rule('get', 'pods'), rule('get', 'pods', { resourceNames: ['a', 'b'] })],
    `{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}
{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`,
  ],
  [
    'a resource is not its subresources',
    [rule('get', 'pods')],
    [rule('get', 'pods/log')],
    '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
  ],
  [
    'all verbs are more than each of them',
    [rule('get list', 'pods')],
    [rule('*', 'pods')],
    '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
  ],
  [
    'paths are printed one verb at a time',
    [urls('get', '/a*')],
    [urls('get post', '/ab /b')],
    `{NonResourceURLs:["/ab"], Verbs:["post"]}
{NonResourceURLs:["/b"], Verbs:["get"]}
{NonResourceURLs:["/b"], Verbs:["post"]}`,
  ],
])('does not cover: %s', async (_name, held, wanted, expected) => {
  expect(await missing(held, wanted)).toBe(expected)
})
