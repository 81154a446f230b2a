import type { RequestInfo } from '@keelson/apimachinery'
import { expect, test } from 'vitest'
import { createAlwaysAllowPathsAuthorizer } from './always-allow-paths.ts'
import { createConstantAuthorizer } from './authorizer.ts'
import type { Authorizer } from './authorizer.ts'
import { createAuthorizerUnion } from './authorizer-union.ts'
import { createForbiddenError } from './forbidden.ts'
import { createPrivilegedGroupsAuthorizer } from './privileged-groups.ts'

const base: RequestInfo = {
  isResourceRequest: true,
  path: '/api/v1/namespaces/x/configmaps',
  verb: 'list',
  apiPrefix: 'api',
  apiGroup: '',
  apiVersion: 'v1',
  namespace: 'x',
  resource: 'configmaps',
  subresource: '',
  name: '',
  parts: ['configmaps'],
}
const createRequest = (action: Partial<RequestInfo>, name = 'alice', groups: string[] = []) => ({
  user: { name, groups },
  action: { ...base, ...action },
})
const createPathRequest = (p: string) =>
  createRequest({ isResourceRequest: false, path: p, verb: 'get', resource: '', namespace: '', apiVersion: '' }, 'system:anonymous')

test.each([
  [
    createRequest({}),
    'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "x"',
    { kind: 'configmaps' },
  ],
  [
    createRequest({ apiGroup: 'apps', resource: 'deployments', subresource: 'status', verb: 'update', name: 'web' }),
    'deployments.apps "web" is forbidden: User "alice" cannot update resource "deployments/status" in API group "apps" in the namespace "x"',
    { name: 'web', group: 'apps', kind: 'deployments' },
  ],
  [
    createRequest({ namespace: '', resource: 'nodes' }),
    'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope',
    { kind: 'nodes' },
  ],
  [createPathRequest('/x<y>'), 'forbidden: User "system:anonymous" cannot get path "/x&lt;y&gt;"', {}],
])('names the user, action and object in the error 403', (attributes, message, details) => {
  const error = createForbiddenError(attributes, '')
  expect(error.status).toMatchObject({ code: 403, reason: 'Forbidden', message, details })
  expect(createForbiddenError(attributes, 'because').status.message).toBe(`${message}: because`)
})

test('allows configured paths for non-resource requests only', () => {
  const authorizer = createAlwaysAllowPathsAuthorizer(['/healthz', '/livez/*'])
  const decide = (p: string) => authorizer.authorize(createPathRequest(p))
  expect(decide('/healthz')).toMatchObject({ decision: 'allow' })
  expect(decide('/livez/ping')).toMatchObject({ decision: 'allow' })
  expect(decide('/healthz/ping')).toMatchObject({ decision: 'noOpinion' })
  expect(authorizer.authorize(createRequest({ path: '/healthz' }))).toMatchObject({ decision: 'noOpinion' })
  expect(() => createAlwaysAllowPathsAuthorizer(['/a*b'])).toThrow('* is only allowed at the end')
})

test('returns the first decision, or joins the reasons of all members if none decides', async () => {
  const createAuthorizer = (decision: 'allow' | 'deny' | 'noOpinion', reason = '', later = false): Authorizer => ({
    authorize: () => (later ? Promise.resolve({ decision, reason }) : { decision, reason }),
  })
  const masters = createPrivilegedGroupsAuthorizer('system:masters')
  expect(
    await createAuthorizerUnion(masters, createAuthorizer('deny')).authorize(createRequest({}, 'root', ['system:masters'])),
  ).toMatchObject({
    decision: 'allow',
  })
  expect(
    await createAuthorizerUnion(masters, createAuthorizer('deny', 'no'), createAuthorizer('allow')).authorize(createRequest({})),
  ).toEqual({
    decision: 'deny',
    reason: 'no',
  })
  expect(
    await createAuthorizerUnion(
      createAuthorizer('noOpinion', 'a', true),
      createAuthorizer('noOpinion'),
      createAuthorizer('noOpinion', 'b'),
    ).authorize(createRequest({})),
  ).toEqual({
    decision: 'noOpinion',
    reason: 'a\nb',
  })
  expect(await createAuthorizerUnion().authorize(createRequest({}))).toEqual({ decision: 'noOpinion', reason: '' })
})

test('lists the permissions of a user', async () => {
  const paths = ['/healthz', '/livez']
  const authorizer = createAuthorizerUnion(createPrivilegedGroupsAuthorizer('system:masters'), createAlwaysAllowPathsAuthorizer(paths))
  const always = { verbs: ['*'], nonResourceURLs: paths }
  expect(await authorizer.rulesFor!({ name: 'alice', groups: [] }, 'default')).toEqual({
    resourceRules: [],
    nonResourceRules: [always],
    incomplete: false,
  })
  const union = createAuthorizerUnion(authorizer, createConstantAuthorizer({ decision: 'allow', reason: '' }))
  expect(await union.rulesFor!({ name: 'root', groups: ['system:masters'] }, 'default')).toEqual({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [always, { verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  })
  const silent: Authorizer = { authorize: () => ({ decision: 'noOpinion', reason: '' }) }
  expect(await createAuthorizerUnion(authorizer, silent).rulesFor!({ name: 'alice', groups: [] }, 'default')).toMatchObject({
    nonResourceRules: [always],
    incomplete: true,
    error: 'the authorizer does not support user rule resolution',
  })
})
