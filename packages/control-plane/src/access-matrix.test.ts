import type { ClusterRole, ClusterRoleBinding } from '@keelson/api/rbac/v1'
import type { UserInfo } from '@keelson/apimachinery'
import { afterEach, expect, test, vi } from 'vitest'
import {
  anonymous,
  authenticated,
  findDifferences,
  discoverAttempts,
  runAttempts,
  isAllowed,
  attemptAction,
  findPathDifferences,
  permits,
  readPolicy,
} from './access-matrix.fixture.ts'
import type { Attempt } from './access-matrix.fixture.ts'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const rbac = 'rbac.authorization.k8s.io'

let chain: ServerChain
afterEach(() => chain.close())

async function start(): Promise<void> {
  chain = await createServerChain({ log: () => {}, controllers: ['clusterrole-aggregation-controller'] })
  await chain.start()
}

const people: readonly UserInfo[] = [
  anonymous,
  { name: 'alice', groups: [authenticated] },
  { name: 'system:kube-scheduler', groups: [authenticated] },
  { name: 'system:kube-controller-manager', groups: [authenticated] },
  { name: 'system:serviceaccount:kube-system:job-controller', groups: ['system:serviceaccounts', authenticated] },
  { name: 'system:serviceaccount:default:default', groups: ['system:serviceaccounts', authenticated] },
]

/** Binds each ClusterRole to a separate user. Waits until aggregated roles have their rules. */
async function bindEachRole(): Promise<UserInfo[]> {
  const roles = chain.client.resource<ClusterRole>({ group: rbac, resource: 'clusterroles' })!
  const bindings = chain.client.resource<ClusterRoleBinding>({ group: rbac, resource: 'clusterrolebindings' })!
  await vi.waitFor(async () => {
    for (const name of ['admin', 'edit', 'view']) expect((await roles.get('', name))?.rules?.length).toBeGreaterThan(10)
    expect((await roles.get('', 'admin'))?.rules?.length).toBeGreaterThan((await roles.get('', 'edit'))!.rules!.length)
  })
  const { items } = await roles.list({ resourceVersion: '' })
  const users = items.map(({ metadata }) => ({ name: `has ${metadata.name}`, groups: [authenticated] }))
  await Promise.all(
    items.map(({ metadata: { name = '' } }) =>
      bindings.create('', {
        metadata: { name: `matrix:${name}` },
        subjects: [{ kind: 'User', apiGroup: rbac, name: `has ${name}` }],
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      }),
    ),
  )
  const nodes: Attempt = { verb: 'list', group: '', resource: 'nodes', namespace: '', name: '', path: '/api/v1/nodes?limit=1', init: {} }
  // Waits until the informer has the last binding.
  await vi.waitFor(async () => expect((await findDifferences(chain, users, [nodes])).length).toBe(0))
  return users
}

/** Non-resource paths: those of the server, and paths that do not exist. */
const paths = [
  '/',
  '/api',
  '/api/',
  '/apis',
  '/apis/apps',
  '/openapi/v2',
  '/openapi/v3/api/v1',
  '/version',
  '/version/',
  '/healthz',
  '/livez',
  '/livez/ping',
  '/readyz',
  '/metrics',
  '/metrics/slis',
  '/debug/pprof/',
  '/logs',
  '/openid/v1/jwks',
  '/.well-known/openid-configuration',
  '/nothing',
]

test('every verb on every resource, and every path, is allowed if and only if a role grants it', { timeout: 120_000 }, async () => {
  await start()
  const attempts = await discoverAttempts(chain)
  expect(attempts.length).toBeGreaterThan(600)
  const users = [...people, ...(await bindEachRole())]
  expect(users.length).toBe(people.length + 69)
  expect(await findDifferences(chain, users, attempts)).toEqual([])
  expect(await findPathDifferences(chain, users, paths)).toEqual([])
})

test('a node has no permissions beyond the rules for nodes and for all users', { timeout: 60_000 }, async () => {
  await start()
  const [attempts, policy] = [await discoverAttempts(chain), await readPolicy(chain)]
  const node: UserInfo = { name: 'system:node:n', groups: ['system:nodes', authenticated] }
  // The Node authorizer allows this request without a role. NodeRestriction limits it.
  const slices = { verbs: ['create'], apiGroups: ['resource.k8s.io'], resources: ['resourceslices'] }
  const nodeRules = [...(policy.roles.get('/system:node') ?? []), slices]
  const [allowed, beyond]: [string[], string[]] = [[], []]
  await runAttempts(attempts, async (attempt) => {
    if ((await attemptAction(chain, node, attempt)) === 'refused') return
    const description = `${attempt.verb} ${attempt.group} ${attempt.resource}`
    allowed.push(description)
    if (!isAllowed(policy, node, attempt) && !nodeRules.some((rule) => permits(rule, attempt))) beyond.push(description)
  })
  expect(beyond).toEqual([])
  expect(allowed).toEqual(expect.arrayContaining(['create  nodes', 'list  services', 'create resource.k8s.io resourceslices']))
})
