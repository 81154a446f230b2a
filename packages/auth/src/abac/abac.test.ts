import { createPathAction, createResourceAction } from '@keelson/apimachinery'
import type { RequestedAction } from '@keelson/apimachinery'
import { describe, expect, test } from 'vitest'
import { createAbacAuthorizer } from './abac-authorizer.ts'
import { parseAbacPolicies } from './policy-file.ts'

const head = '"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy"'
const formatPolicy = (spec: object): string => `{${head},"spec":${JSON.stringify(spec)}}`
const createAuthorizer = (...lines: string[]) => createAbacAuthorizer(parseAbacPolicies(lines.join('\n'), 'policies').policies)
const alice = { name: 'alice', groups: ['dev', 'system:authenticated'] }
const createPodsAction = (verb: string, overrides: Partial<RequestedAction> = {}): RequestedAction =>
  createResourceAction({ verb, resource: 'pods', namespace: 'a', ...overrides })

const everything = { namespace: '*', resource: '*', apiGroup: '*' }
test.each<[title: string, line: string, action: RequestedAction, decision: 'allow' | 'noOpinion']>([
  ['a user', formatPolicy({ user: 'alice', ...everything }), createPodsAction('create'), 'allow'],
  ['another user', formatPolicy({ user: 'bob', ...everything }), createPodsAction('create'), 'noOpinion'],
  ['a group', formatPolicy({ group: 'dev', ...everything }), createPodsAction('create'), 'allow'],
  ['a user who is not in the group', formatPolicy({ user: 'alice', group: 'ops', ...everything }), createPodsAction('create'), 'noOpinion'],
  ['everyone', formatPolicy({ user: '*', ...everything }), createPodsAction('create'), 'allow'],
  ['nobody', formatPolicy(everything), createPodsAction('get'), 'noOpinion'],
  ['reads only', formatPolicy({ user: 'alice', readonly: true, ...everything }), createPodsAction('watch'), 'allow'],
  [
    'reads only, but this is a write',
    formatPolicy({ user: 'alice', readonly: true, ...everything }),
    createPodsAction('update'),
    'noOpinion',
  ],
  ['the core group', formatPolicy({ user: 'alice', namespace: 'a', resource: 'pods' }), createPodsAction('get'), 'allow'],
  [
    'another group',
    formatPolicy({ user: 'alice', namespace: 'a', resource: 'pods' }),
    createPodsAction('get', { apiGroup: 'apps' }),
    'noOpinion',
  ],
  ['another namespace', formatPolicy({ user: 'alice', namespace: 'b', resource: 'pods' }), createPodsAction('get'), 'noOpinion'],
  ['resources only', formatPolicy({ user: 'alice', ...everything }), createPathAction('get', '/version'), 'noOpinion'],
  ['paths below', formatPolicy({ user: 'alice', nonResourcePath: '/logs/*' }), createPathAction('get', '/logs/a/b'), 'allow'],
  ['one path', formatPolicy({ user: 'alice', nonResourcePath: '/logs' }), createPathAction('get', '/logs/a'), 'noOpinion'],
  ['everything, in the old format', '{"user":"alice"}', createPathAction('get', '/version'), 'allow'],
  ['a resource, in the old format', '{"user":"alice","resource":"pods"}', createPodsAction('create', { apiGroup: 'x' }), 'allow'],
  ['paths, not in the old format', '{"user":"alice","resource":"pods"}', createPathAction('get', '/version'), 'noOpinion'],
  ['every authenticated user, in the old format', '{"readonly":true}', createPodsAction('get'), 'allow'],
])('decides by a policy: %s', (_title, line, action, decision) => {
  expect(createAuthorizer('# comment', '', line).authorize({ user: alice, action })).toEqual({
    decision,
    reason: decision === 'allow' ? '' : 'No policy matched.',
  })
})

test('lists the rules of a user in a namespace', async () => {
  const authorizer = createAuthorizer(
    formatPolicy({ user: 'alice', namespace: 'a', resource: 'pods', readonly: true }),
    formatPolicy({ group: 'dev', namespace: '*', nonResourcePath: '/version' }),
    formatPolicy({ user: 'alice', namespace: 'b', resource: 'secrets' }),
  )
  expect(await authorizer.rulesFor?.(alice, 'a')).toEqual({
    resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/version'] }],
    incomplete: false,
  })
})

describe('parseAbacPolicies', () => {
  test('counts the lines without apiVersion', () => {
    expect(parseAbacPolicies(`${formatPolicy({})}\n{"user":"a"}`, 'f').unversionedLines).toBe(1)
  })
  test('names the line of an invalid policy', () => {
    expect(() => parseAbacPolicies(`# one\n{"user":1}`, 'f')).toThrow(
      'error reading policy file f, line 2: {"user":1}: json: cannot unmarshal number into Go struct field PolicySpec.user of type string',
    )
    expect(() => parseAbacPolicies('{', 'f')).toThrow('error reading policy file f, line 1: {: ')
  })
})
