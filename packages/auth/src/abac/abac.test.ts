import { pathAction, resourceAction } from '@keelson/apimachinery'
import type { RequestedAction } from '@keelson/apimachinery'
import { describe, expect, test } from 'vitest'
import { createAbacAuthorizer } from './abac-authorizer.ts'
import { parseAbacPolicies } from './policy-file.ts'

const head = '"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy"'
const policy = (spec: object): string => `{${head},"spec":${JSON.stringify(spec)}}`
const authorizerOf = (...lines: string[]) => createAbacAuthorizer(parseAbacPolicies(lines.join('\n'), 'policies').policies)
const alice = { name: 'alice', groups: ['dev', 'system:authenticated'] }
const pods = (verb: string, more: Partial<RequestedAction> = {}): RequestedAction =>
  resourceAction({ verb, resource: 'pods', namespace: 'a', ...more })

const all = { namespace: '*', resource: '*', apiGroup: '*' }
test.each<[title: string, line: string, action: RequestedAction, decision: 'allow' | 'noOpinion']>([
  ['a user', policy({ user: 'alice', ...all }), pods('create'), 'allow'],
  ['another user', policy({ user: 'bob', ...all }), pods('create'), 'noOpinion'],
  ['a group', policy({ group: 'dev', ...all }), pods('create'), 'allow'],
  ['a user who is not in the group', policy({ user: 'alice', group: 'ops', ...all }), pods('create'), 'noOpinion'],
  ['everyone', policy({ user: '*', ...all }), pods('create'), 'allow'],
  ['nobody', policy(all), pods('get'), 'noOpinion'],
  ['reads only', policy({ user: 'alice', readonly: true, ...all }), pods('watch'), 'allow'],
  ['reads only, but this is a write', policy({ user: 'alice', readonly: true, ...all }), pods('update'), 'noOpinion'],
  ['the core group', policy({ user: 'alice', namespace: 'a', resource: 'pods' }), pods('get'), 'allow'],
  ['another group', policy({ user: 'alice', namespace: 'a', resource: 'pods' }), pods('get', { apiGroup: 'apps' }), 'noOpinion'],
  ['another namespace', policy({ user: 'alice', namespace: 'b', resource: 'pods' }), pods('get'), 'noOpinion'],
  ['resources only', policy({ user: 'alice', ...all }), pathAction('get', '/version'), 'noOpinion'],
  ['paths below', policy({ user: 'alice', nonResourcePath: '/logs/*' }), pathAction('get', '/logs/a/b'), 'allow'],
  ['one path', policy({ user: 'alice', nonResourcePath: '/logs' }), pathAction('get', '/logs/a'), 'noOpinion'],
  ['everything, in the old format', '{"user":"alice"}', pathAction('get', '/version'), 'allow'],
  ['a resource, in the old format', '{"user":"alice","resource":"pods"}', pods('create', { apiGroup: 'x' }), 'allow'],
  ['paths, not in the old format', '{"user":"alice","resource":"pods"}', pathAction('get', '/version'), 'noOpinion'],
  ['every authenticated user, in the old format', '{"readonly":true}', pods('get'), 'allow'],
])('decides by a policy: %s', (_title, line, action, decision) => {
  expect(authorizerOf('# comment', '', line).authorize({ user: alice, action })).toEqual({
    decision,
    reason: decision === 'allow' ? '' : 'No policy matched.',
  })
})

test('lists the rules of a user in a namespace', async () => {
  const authorizer = authorizerOf(
    policy({ user: 'alice', namespace: 'a', resource: 'pods', readonly: true }),
    policy({ group: 'dev', namespace: '*', nonResourcePath: '/version' }),
    policy({ user: 'alice', namespace: 'b', resource: 'secrets' }),
  )
  expect(await authorizer.rulesFor?.(alice, 'a')).toEqual({
    resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/version'] }],
    incomplete: false,
  })
})

describe('parseAbacPolicies', () => {
  test('counts the lines without apiVersion', () => {
    expect(parseAbacPolicies(`${policy({})}\n{"user":"a"}`, 'f').unversionedLines).toBe(1)
  })
  test('names the line of an invalid policy', () => {
    expect(() => parseAbacPolicies(`# one\n{"user":1}`, 'f')).toThrow(
      'error reading policy file f, line 2: {"user":1}: json: cannot unmarshal number into Go struct field PolicySpec.user of type string',
    )
    expect(() => parseAbacPolicies('{', 'f')).toThrow('error reading policy file f, line 1: {: ')
  })
})
