import type { RequestInfo, UserInfo } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import type { Authorizer } from './authorizer.ts'
import { createImpersonation } from './impersonation.ts'
import { createImpersonationMetrics } from './impersonation-metrics.ts'
import { parseImpersonatedUser } from './impersonation-headers.ts'
import { createPrivilegedGroupsAuthorizer } from './privileged-groups.ts'

const alice: UserInfo = { name: 'alice', groups: ['dev', 'system:authenticated'] }
const admin: UserInfo = { name: 'admin', groups: ['system:masters'] }
const listPods: RequestInfo = {
  isResourceRequest: true,
  path: '/api/v1/namespaces/a/pods',
  verb: 'list',
  apiPrefix: 'api',
  apiGroup: '',
  apiVersion: 'v1',
  namespace: 'a',
  resource: 'pods',
  subresource: '',
  name: '',
  parts: ['pods'],
}
const masters = createPrivilegedGroupsAuthorizer('system:masters')

/** Creates an authorizer that allows the listed requests, each written as "verb group/resource[/subresource] [namespace/]name". */
function permits(...permissions: readonly string[]): Authorizer {
  return {
    authorize({ action }) {
      const resource = [action.apiGroup, action.resource, ...(action.subresource ? [action.subresource] : [])].join('/')
      const name = action.namespace ? `${action.namespace}/${action.name}` : action.name
      return permissions.includes(`${action.verb} ${resource} ${name}`)
        ? { decision: 'allow', reason: '' }
        : { decision: 'noOpinion', reason: '' }
    },
  }
}

const impersonate = async (authorizer: Authorizer, user: UserInfo, impersonated: Partial<UserInfo>): Promise<UserInfo> =>
  (await createImpersonation(authorizer)({ user, action: listPods, impersonated: { name: 'bob', groups: [], ...impersonated } })).user

test('reads repeated headers separately, and ignores the case of their names', () => {
  expect(parseImpersonatedUser(['Host', 'x', 'If-Match', 'y'])).toBeUndefined()
  expect(
    parseImpersonatedUser(['IMPERSONATE-User', 'bob', 'impersonate-user', 'eve', 'impersonate-group', 'a,b', 'Impersonate-Group', 'c']),
  ).toEqual({
    name: 'bob',
    uid: '',
    groups: ['a,b', 'c'],
  })
  const { extra } = parseImpersonatedUser([
    'impersonate-user',
    'b',
    'Impersonate-Extra-Acme.com%2Fproject',
    '1',
    'impersonate-extra-__proto__',
    '2',
  ])!
  expect(Object.entries(extra!)).toEqual([
    ['acme.com/project', ['1']],
    ['__proto__', ['2']],
  ])
})

test.each([
  [['impersonate-group', 'system:masters'], 'UID:"", Groups:[]string{"system:masters"}, Extra:map[string][]string(nil)'],
  [['impersonate-uid', '7'], 'UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)'],
  [['impersonate-extra-a', '1', 'impersonate-user', ''], 'UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"1"}}'],
])('rejects headers without a user name: %j', (headers, text) => {
  expect(() => parseImpersonatedUser(headers)).toThrow(`requested &user.DefaultInfo{Name:"", ${text}} without impersonating a user name`)
})

test('lets an administrator impersonate any user, without keeping administrator rights', async () => {
  expect(await impersonate(masters, admin, {})).toEqual({ name: 'bob', groups: ['system:authenticated'] })
  expect(await impersonate(masters, admin, { groups: ['system:masters'] })).toMatchObject({
    groups: ['system:masters', 'system:authenticated'],
  })
  expect(await impersonate(masters, admin, { name: 'system:anonymous' })).toMatchObject({ groups: ['system:unauthenticated'] })
  expect(await impersonate(masters, admin, { name: 'system:serviceaccount:a:builder' })).toMatchObject({
    groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
  })
  expect(await impersonate(masters, admin, { name: 'system:node:n1' })).toMatchObject({ groups: ['system:nodes', 'system:authenticated'] })
})

test('reports the first missing permission', async () => {
  await expect(impersonate(masters, alice, { name: 'admin' })).rejects.toMatchObject({
    code: 403,
    message: 'pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
  })
  await expect(impersonate(masters, alice, { name: 'system:serviceaccount:a:b', groups: ['x'] })).rejects.toMatchObject({
    message:
      'serviceaccounts "b" is forbidden: User "alice" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
  })
})

test('requires a permission for each impersonated attribute (name, uid, groups, extra)', async () => {
  const old = permits('impersonate /users bob', 'impersonate /groups dev', 'impersonate authentication.k8s.io/userextras/k v')
  expect(await impersonate(old, alice, { groups: ['dev'], extra: { k: ['v'] } })).toMatchObject({
    name: 'bob',
    groups: ['dev', 'system:authenticated'],
  })
  await expect(impersonate(old, alice, { groups: ['dev', 'ops'] })).rejects.toMatchObject({ code: 403 })
  await expect(impersonate(old, alice, { uid: '1' })).rejects.toMatchObject({ code: 403 })
  await expect(impersonate(old, alice, { extra: { k: ['v', 'w'] } })).rejects.toMatchObject({ code: 403 })
})

test("limits a mode's permission to its verb and never grants system:masters", async () => {
  const limited = permits(
    'impersonate-on:user-info:list /pods a/',
    'impersonate:user-info authentication.k8s.io/users bob',
    'impersonate:user-info authentication.k8s.io/groups system:masters',
  )
  expect(await impersonate(limited, alice, {})).toMatchObject({ name: 'bob' })
  const get = { ...listPods, verb: 'get' }
  await expect(createImpersonation(limited)({ user: alice, action: get, impersonated: { name: 'bob', groups: [] } })).rejects.toMatchObject(
    {
      code: 403,
    },
  )
  await expect(impersonate(limited, alice, { groups: ['system:masters'] })).rejects.toMatchObject({
    message: expect.stringContaining('impersonating the system:masters group is not allowed') as string,
  })
})

test('tries the mode that succeeded last time first, and counts attempts and permission checks', async () => {
  const checks: string[] = []
  const registry = createMetricsRegistry()
  const authorizer: Authorizer = {
    authorize: ({ action }) => {
      checks.push(action.verb)
      return action.verb === 'impersonate' ? { decision: 'allow', reason: '' } : { decision: 'noOpinion', reason: '' }
    },
  }
  const run = createImpersonation(authorizer, { metrics: createImpersonationMetrics(registry) })
  const request = { user: alice, action: listPods, impersonated: { name: 'bob', groups: [] } }
  expect(await run(request)).toEqual({ user: { name: 'bob', groups: ['system:authenticated'] }, constraint: '' })
  await run(request)
  expect(checks).toEqual(['impersonate-on:user-info:list', 'impersonate', 'impersonate'])
  await expect(createImpersonation(masters, { metrics: createImpersonationMetrics(createMetricsRegistry()) })(request)).rejects.toThrow()
  const text = registry.text()
  expect(text).toContain('apiserver_impersonation_attempts_total{decision="allowed",mode="legacy"} 2')
  expect(text).toContain('apiserver_impersonation_authorization_attempts_total{decision="denied",mode="user-info"} 1')
})

test('tries the other modes after the remembered mode fails', async () => {
  const allowed = new Set(['impersonate'])
  const authorizer: Authorizer = {
    authorize: ({ action: { verb } }) => ({ decision: allowed.has(verb) ? 'allow' : 'noOpinion', reason: '' }),
  }
  const run = createImpersonation(authorizer)
  const request = { user: alice, action: listPods, impersonated: { name: 'bob', groups: [] } }
  expect((await run(request)).constraint).toBe('')
  allowed.clear()
  await expect(run(request)).rejects.toMatchObject({ message: expect.stringContaining('cannot impersonate resource "users"') as unknown })
  for (const verb of ['impersonate-on:user-info:list', 'impersonate:user-info']) allowed.add(verb)
  expect((await run(request)).constraint).toBe('impersonate:user-info')
  await expect(createImpersonation(authorizer, { constrained: false })(request)).rejects.toThrow()
})

test.each([
  ['k', 'an invalid key in extra is not allowed: extra.key: Invalid value: "k": must be a domain-prefixed path (such as "acme.io/foo")'],
  ['a.b/ ', 'an invalid key in extra is not allowed: extra.key: Invalid value: " ": Invalid path (regex used for validation is'],
  ['a.b/K', 'a non-lowercase key in extra is not allowed: "a.b/K"'],
  ['', 'the empty string key in extra is not allowed'],
])('rejects the extra key %j in constrained impersonation', async (key, message) => {
  const permitted = permits('impersonate-on:user-info:list /pods a/', 'impersonate:user-info authentication.k8s.io/users bob')
  await expect(impersonate(permitted, alice, { extra: { [key]: ['v'] } })).rejects.toMatchObject({
    message: expect.stringContaining(`impersonating ${message}`) as unknown,
  })
})
