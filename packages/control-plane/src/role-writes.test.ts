import type { ClusterRole, PolicyRule, Role, RoleBinding } from '@keelson/api/rbac/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { createStaticTokens } from '@keelson/auth'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { JsonResponse } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const tokens = createStaticTokens([
  ['ann', { name: 'ann', groups: ['dev'] }],
  ['bob', { name: 'bob', groups: [] }],
])

let chain: ServerChain
beforeAll(async () => {
  chain = await startChain({ controllers: ['clusterrole-aggregation-controller'], authentication: { tokens: [tokens] } })
  await requestAsAdmin('POST', '/api/v1/namespaces', { metadata: { name: 'n' } })
})
afterAll(() => chain.close())

type Status = { readonly message: string; readonly reason: string } & KubeObject

const requestAsAdmin = (method: string, path: string, body?: object) => askServer<Status>(chain, method, path, { body })
const callAs = (token: string, method: string, path: string, body?: object): Promise<JsonResponse<Status>> =>
  askServer<Status>(chain, method, path, { body, token })

const formatRbacPath = (path: string): string => `/apis/${apiGroup}/v1/${path}`
const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }
const readSecrets: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] }
const manageRoles: PolicyRule = { verbs: ['create', 'update', 'patch', 'get'], apiGroups: [apiGroup], resources: ['*'] }
let count = 0
/** Grants rules to a user in a namespace, or in the whole cluster. Waits until the authorizer applies them. */
async function give(user: string, namespace: string, ...rules: PolicyRule[]): Promise<void> {
  const name = `given-${count++}`
  const scopePath = namespace === '' ? '' : `namespaces/${namespace}/`
  const prefix = namespace === '' ? 'cluster' : ''
  const kind = namespace === '' ? 'ClusterRole' : 'Role'
  expect((await requestAsAdmin('POST', formatRbacPath(`${scopePath}${prefix}roles`), { metadata: { name }, rules })).status).toBe(201)
  const subjects = [{ kind: 'User', name: user }]
  const roleRef = { apiGroup, kind, name }
  expect(
    (await requestAsAdmin('POST', formatRbacPath(`${scopePath}${prefix}rolebindings`), { metadata: { name }, roleRef, subjects })).status,
  ).toBe(201)
  for (const { verbs, apiGroups, resources, resourceNames = [''] } of rules) {
    const resourceAttributes = { namespace, verb: verbs![0], group: apiGroups![0], resource: resources![0], name: resourceNames[0] }
    const review = { spec: { user, resourceAttributes } }
    await vi.waitFor(async () => {
      const { body } = await requestAsAdmin('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review)
      expect(body).toMatchObject({ status: { allowed: true } })
    })
  }
}

let name: string
beforeEach(() => void (name = `made-${count++}`))
const createRole = (...rules: PolicyRule[]): Role => ({ metadata: { name }, rules })
const createBinding = (kind: string, to: string): RoleBinding => ({
  metadata: { name },
  roleRef: { apiGroup, kind, name: to },
  subjects: [{ kind: 'User', name: 'eve' }],
})
const attempt = 'user "ann" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:'

test('a user cannot grant permissions that the user does not hold', async () => {
  await give('ann', 'n', readPods, manageRoles)
  const roles = formatRbacPath('namespaces/n/roles')
  expect((await callAs('ann', 'POST', roles, createRole(readPods))).status).toBe(201)
  const rulesToGrant = [readPods, readSecrets, { ...readPods, verbs: ['watch', 'delete'] }]
  const forbidden = {
    status: 403,
    body: {
      reason: 'Forbidden',
      message: `roles.${apiGroup} "${name}" is forbidden: ${attempt}
{APIGroups:[""], Resources:["pods"], Verbs:["watch" "delete"]}
{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    },
  }
  expect(await callAs('ann', 'PUT', `${roles}/${name}`, createRole(...rulesToGrant))).toMatchObject(forbidden)
  expect((await callAs('ann', 'PUT', `${roles}/${name}`, { ...createRole(readPods), metadata: { name, labels: { a: 'b' } } })).status).toBe(
    200,
  )
  expect((await requestAsAdmin('PUT', `${roles}/${name}`, createRole(...rulesToGrant))).status).toBe(200)
  // The role now grants permissions that ann does not hold. She may change only its ownerReferences and finalizers.
  expect(
    (await callAs('ann', 'PUT', `${roles}/${name}`, { ...createRole(...rulesToGrant), metadata: { name, labels: { c: 'd' } } })).status,
  ).toBe(403)
})

test('the verbs escalate and bind allow a user to grant any permission', async () => {
  await give('bob', 'n', manageRoles)
  const roles = formatRbacPath('namespaces/n/roles')
  const bindings = formatRbacPath('namespaces/n/rolebindings')
  expect((await callAs('bob', 'POST', roles, createRole(readSecrets))).status).toBe(403)
  expect((await callAs('bob', 'POST', bindings, createBinding('ClusterRole', 'system:aggregate-to-view'))).status).toBe(403)
  await give('bob', 'n', { verbs: ['bind'], apiGroups: [apiGroup], resources: ['clusterroles'], resourceNames: ['system:heapster'] })
  expect((await callAs('bob', 'POST', bindings, createBinding('ClusterRole', 'system:aggregate-to-view'))).status).toBe(403)
  expect((await callAs('bob', 'POST', bindings, createBinding('ClusterRole', 'system:heapster'))).status).toBe(201)
  await give('bob', 'n', { verbs: ['escalate'], apiGroups: [apiGroup], resources: ['roles'] })
  expect((await callAs('bob', 'POST', roles, createRole(readSecrets))).status).toBe(201)
})

test('a binding needs the rules of its role, which must exist', async () => {
  await give('ann', 'n', readPods, manageRoles)
  const bindings = formatRbacPath('namespaces/n/rolebindings')
  await requestAsAdmin('POST', formatRbacPath('namespaces/n/roles'), { metadata: { name: 'pods' }, rules: [readPods] })
  expect((await callAs('ann', 'POST', bindings, createBinding('Role', 'pods'))).status).toBe(201)
  expect(await callAs('ann', 'POST', bindings, createBinding('ClusterRole', 'gone'))).toMatchObject({
    status: 404,
    // As in kube-apiserver, the error names the resource of the request.
    body: { message: `rolebindings.${apiGroup} "gone" not found`, details: { kind: 'rolebindings', name: 'gone' } },
  })
  expect(await callAs('ann', 'POST', bindings, createBinding('ClusterRole', 'system:kube-dns'))).toMatchObject({
    status: 403,
    body: {
      message: `rolebindings.${apiGroup} "${name}" is forbidden: ${attempt}
{APIGroups:[""], Resources:["endpoints"], Verbs:["list" "watch"]}
{APIGroups:[""], Resources:["services"], Verbs:["list" "watch"]}`,
    },
  })
})

test('creating an aggregated role requires every permission, and the role gets the rules of other roles', async () => {
  await give('ann', '', readPods, manageRoles)
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: name } }] }
  const aggregatedRole: ClusterRole = { metadata: { name }, rules: [], aggregationRule }
  expect(await callAs('ann', 'POST', formatRbacPath('clusterroles'), aggregatedRole)).toMatchObject({
    status: 403,
    body: { message: `clusterroles.${apiGroup} "${name}" is forbidden: must have cluster-admin privileges to use the aggregationRule` },
  })
  await requestAsAdmin('POST', formatRbacPath('clusterroles'), aggregatedRole)
  await requestAsAdmin('POST', formatRbacPath('clusterroles'), {
    metadata: { name: `${name}-b`, labels: { part: name } },
    rules: [readSecrets, readPods],
  })
  await requestAsAdmin('POST', formatRbacPath('clusterroles'), {
    metadata: { name: `${name}-a`, labels: { part: name } },
    rules: [readPods],
  })
  await vi.waitFor(async () => {
    const { body } = await requestAsAdmin('GET', formatRbacPath(`clusterroles/${name}`))
    expect(body).toMatchObject({ rules: [readPods, readSecrets] })
    expect(body.metadata.managedFields?.map(({ manager }) => manager)).toContain('clusterrole-aggregation-controller')
  })
  await requestAsAdmin('DELETE', formatRbacPath(`clusterroles/${name}-b`))
  await vi.waitFor(async () =>
    expect((await requestAsAdmin('GET', formatRbacPath(`clusterroles/${name}`))).body).toMatchObject({ rules: [readPods] }),
  )
})

test('the role edit includes view, and the role admin includes both', async () => {
  await vi.waitFor(async () => {
    const sizes = await Promise.all(
      ['view', 'edit', 'admin'].map(async (each) => {
        const { body } = await requestAsAdmin('GET', formatRbacPath(`clusterroles/${each}`))
        return (body as unknown as ClusterRole).rules?.length ?? 0
      }),
    )
    expect(sizes).toEqual([12, 27, 29])
  })
})
