import { setTimeout as pause } from 'node:timers/promises'
import type { ClusterRole, ClusterRoleBinding } from '@keelson/api/rbac/v1'
import { createResourceAction } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { RbacAuthorizer, RbacPolicy } from '@keelson/auth'
import type { InformerEvent, SharedInformers } from '@keelson/loopback'
import { formatPodName, pods } from '../fill-store.ts'
import type { DatasetSize } from '../fill-store.ts'
import type { Figure, Item } from '../frame/item.ts'
import { bareSide } from '../frame/judge.ts'
import { createLoadSide } from '../frame/load-side.ts'
import { computeMedian } from '../frame/middle.ts'
import { runClient } from '../run-client.ts'
import { ask, limitedToken, limitedUser } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

const users = 200
const rolesPerUser = 50
const bindings = users * rolesPerUser
const group = 'rbac.authorization.k8s.io'
const root = `/apis/${group}/v1`
/** Dataset with the single pod that the measured requests read. */
const onePod: DatasetSize = { pods: 1, configMaps: 0 }
const pod = `${pods}/${formatPodName(0)}`

export const authorizationItems: readonly Item[] = [
  {
    name: 'authorization/get',
    title: `GET of a pod as a user with ${rolesPerUser} of ${bindings.toLocaleString('en')} bindings, compared with system:masters`,
    unit: 'requests/s',
    bar: { type: 'share', least: 0.95 },
    only: 'named',
    async open(bench) {
      const server = (await bench.startServer(onePod, { copyName: 'authorization' }))!
      await bindUsers(server)
      const load = { connections: 10, pipeline: 1, request: { method: 'GET', path: pod } }
      await waitForAccess(server, pod)
      return {
        sides: [
          createLoadSide({ server: limitServer(server), name: 'user', unit: 'requests/s', load: () => load }),
          createLoadSide({ server, name: bareSide, unit: 'requests/s', load: () => load }),
        ],
      }
    },
  },
  {
    name: 'authorization/decision',
    title: `median time of a decision about a user with ${rolesPerUser} of ${bindings.toLocaleString('en')} bindings: allowed by the last one, or refused`,
    unit: 'µs',
    bar: { type: 'most', value: 10 },
    only: 'named',
    async open() {
      const authorizer = fillAuthorizer()
      return { sides: [{ name: 'keelson', measure: async (): Promise<Figure> => ({ value: measureDecisions(authorizer) }) }] }
    },
  },
  {
    name: 'authorization/new-binding',
    title: 'longest of 20 times from the response of a new binding to the first request that it allows, with its connection',
    unit: 'ms',
    bar: { type: 'most', value: 50 },
    only: 'named',
    rounds: 3,
    async open(bench) {
      const server = (await bench.startServer(onePod, { copyName: 'authorization' }))!
      await bindUsers(server)
      return {
        sides: [{ name: 'keelson', warmUp: async () => undefined, measure: async () => ({ value: await measureNewBindings(server) }) }],
      }
    },
  },
  {
    name: 'authorization/memory',
    title: `memory in use because of ${bindings.toLocaleString('en')} bindings, after a restart`,
    unit: 'MiB',
    bar: { type: 'most', value: 30 },
    only: 'named',
    rounds: 1,
    async open(bench) {
      return {
        sides: [
          {
            name: 'keelson',
            async measure(): Promise<Figure> {
              // Uses a separate dataset, which keeps the bindings for the next start of a server.
              const size = { ...onePod, configMaps: ++datasets }
              const start = async (): Promise<ServerUnderTest> => {
                await bench.stop()
                return (await bench.startServer(size))!
              }
              const before = await measureRetainedMemory(await start())
              // Another server process writes the bindings, because the memory for writing must not be measured.
              await bindUsers(await start())
              return { value: (await measureRetainedMemory(await start())) - before }
            },
          },
        ],
      }
    },
  },
]

/** Returns the server with the token of a user that has no permissions by default. */
export function limitServer(server: ServerUnderTest): ServerUnderTest {
  return { ...server, token: limitedToken }
}

const formatRoleName = (n: number): string => `bench-${String(n).padStart(2, '0')}`
const rolesOf = Array.from({ length: rolesPerUser }, (_, n) => n)

/** Creates the nth role. The last role allows the measured request, the others allow similar requests. */
function createBenchRole(n: number): ClusterRole {
  const resources = n === rolesPerUser - 1 ? ['pods'] : ['configmaps', `things-${n}`]
  return { metadata: { name: formatRoleName(n) }, rules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources }] }
}

/** Creates a binding of a user to a role. `user` is the suffix of the user name. */
function createBenchBinding(role: number, user: string, prefix: string): ClusterRoleBinding {
  return {
    metadata: { name: `${prefix}-${formatRoleName(role)}-${user}` },
    subjects: [{ kind: 'User', apiGroup: group, name: `${prefix}-${user}` }],
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: formatRoleName(role) },
  }
}

/** Creates all roles and binds each user to each role. Skips existing objects. */
async function bindUsers(server: ServerUnderTest, prefix: string = userPrefix): Promise<void> {
  for (const n of rolesOf) await post(server, 'clusterroles', createBenchRole(n))
  const [first, ...interleavedRequests] = rolesOf.map((role) => ({
    times: 1,
    request: {
      method: 'POST',
      path: `${root}/clusterrolebindings`,
      contentType: 'application/json',
      body: JSON.stringify(createBenchBinding(role, '{n}', prefix)),
      digits: 3,
    },
  }))
  const { url, token } = server
  const job = { url, token, connections: 32, pipeline: 1, seconds: 600, count: bindings, request: first!.request, interleavedRequests }
  const { failures, firstFailure } = await runClient(job)
  if (failures > 0 && firstFailure !== 409) throw new Error(`creating bindings failed with ${firstFailure}`)
}

const userPrefix = limitedUser.slice(0, limitedUser.lastIndexOf('-'))

async function post(server: ServerUnderTest, resource: string, object: KubeObject): Promise<void> {
  const { status, body } = await ask(server, 'POST', `${root}/${resource}`, object)
  if (status !== 201 && status !== 409) throw new Error(`${resource}: ${status}: ${body.toString()}`)
}

/** Waits until the limited user is allowed to read a path. The object need not exist. */
export async function waitForAccess(server: ServerUnderTest, path: string): Promise<void> {
  const user = limitServer(server)
  for (const end = performance.now() + 10_000; (await ask(user, 'GET', path)).status === 403;)
    if (performance.now() > end) throw new Error(`${path} is still forbidden`)
}

let measured = 0
let datasets = 0

async function measureNewBindings(server: ServerUnderTest): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 20; i++) {
    const name = `new-${measured++}`
    await post(server, 'clusterroles', { metadata: { name }, rules: [{ verbs: ['get'], nonResourceURLs: [`/${name}`] }] } as ClusterRole)
    if ((await ask(limitServer(server), 'GET', `/${name}`)).status !== 403) throw new Error(`/${name} is allowed without a binding`)
    await post(server, 'clusterrolebindings', {
      metadata: { name },
      subjects: [{ kind: 'User', apiGroup: group, name: limitedUser }],
      roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    } as ClusterRoleBinding)
    const began = performance.now()
    await waitForAccess(server, `/${name}`)
    times.push(performance.now() - began)
  }
  return Math.max(...times)
}

/** Returns the memory in use, in MiB, after the informers have read all objects. */
async function measureRetainedMemory(server: ServerUnderTest): Promise<number> {
  await pause(2000)
  await ask(limitServer(server), 'GET', pod)
  return (await server.probe!.measureRetained()) / 1024 ** 2
}

function fillAuthorizer(): RbacAuthorizer {
  const handlers = new Map<string, (event: InformerEvent<KubeObject>) => void>()
  const createResource = ({ resource }: { readonly resource: string }) => ({
    subscribe: (handler: (event: InformerEvent<KubeObject>) => void) => void handlers.set(resource, handler),
  })
  const policy = new RbacPolicy()
  policy.follow({ informers: { of: createResource } as unknown as SharedInformers, client: undefined! })
  for (const n of rolesOf) handlers.get('clusterroles')!({ type: 'added', object: createBenchRole(n) })
  for (const n of rolesOf) {
    for (let user = 0; user < users; user++) {
      handlers.get('clusterrolebindings')!({ type: 'added', object: createBenchBinding(n, String(user).padStart(3, '0'), userPrefix) })
    }
  }
  return new RbacAuthorizer(policy)
}

const decisionsAtOnce = 20

/**
 * Measures the processor time of a decision. Returns the median of short batches, because one decision is shorter than the resolution of
 * the clock.
 */
function measureDecisions(authorizer: RbacAuthorizer): number {
  const user = { name: limitedUser, groups: ['system:authenticated'] }
  const actions = ['pods', 'secrets'].map((resource) =>
    createResourceAction({ verb: 'get', apiGroup: '', apiVersion: 'v1', namespace: 'bench', resource, name: formatPodName(0) }),
  )
  const times: number[] = []
  let allowed = 0
  const batches = 10_000
  for (let batch = 0; batch < batches; batch++) {
    const began = process.hrtime.bigint()
    for (let i = 0; i < decisionsAtOnce; i++) {
      const { decision } = authorizer.authorize({ user, action: actions[i % 2]! })
      if (decision === 'allow') allowed++
    }
    times.push(Number(process.hrtime.bigint() - began) / 1000 / decisionsAtOnce)
  }
  if (allowed !== (batches * decisionsAtOnce) / 2) throw new Error(`${allowed} decisions allowed the request`)
  return computeMedian(times)
}
