import { formatPodName, pods } from '../fill-store.ts'
import type { DatasetSize } from '../fill-store.ts'
import type { Bench } from '../frame/bench.ts'
import type { Item } from '../frame/item.ts'
import { bareSide } from '../frame/judge.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import { ask, limitedUser } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { limitServer, waitForAccess } from './authorization-items.ts'
import { createPod } from './pod-writes.ts'

const onePod: DatasetSize = { pods: 1, configMaps: 0 }
const pod = `${pods}/${formatPodName(0)}`
const rbac = '/apis/rbac.authorization.k8s.io/v1'
let runs = Date.now() % 1_000_000_000

/** Compare a server with priority and fairness with one without. The requests are those of a user at the level `global-default`, which has queues. */
export const fairnessItems: readonly Item[] = [
  {
    name: 'fairness/get',
    title: 'GET of a pod with priority and fairness, compared with a limit of requests in flight',
    unit: 'requests/s',
    bar: { type: 'share', least: 0.97 },
    only: 'named',
    open: (bench) => openSides(bench, 'one', () => ({ connections: 10, pipeline: 1, request: { method: 'GET', path: pod } })),
  },
  {
    name: 'fairness/create',
    title: 'CREATE of pods of 3 KB with priority and fairness, compared with a limit of requests in flight',
    unit: 'requests/s',
    bar: { type: 'share', least: 0.98 },
    only: 'named',
    cold: true,
    open: (bench) => openSides(bench, 'all', () => ({ connections: 32, pipeline: 1, request: createPod('3 KB', `fairness-${++runs}`) })),
  },
]

async function openSides(bench: Bench, cores: 'one' | 'all', load: () => Load): Promise<Awaited<ReturnType<Item['open']>>> {
  const fair = (await bench.startServer(onePod, { copyName: `fair-${cores}`, cores }))!
  const flags = ['--enable-priority-and-fairness=false']
  const plain = (await bench.startServer(onePod, { copyName: `plain-${cores}`, cores, flags }))!
  for (const server of [fair, plain]) await allowPods(server)
  return {
    sides: [
      createLoadSide({ server: limitServer(fair), unit: 'requests/s', load }),
      createLoadSide({ server: limitServer(plain), name: bareSide, unit: 'requests/s', load }),
    ],
  }
}

/** Allows the limited user to read and create pods. */
async function allowPods(server: ServerUnderTest): Promise<void> {
  const name = 'bench-fairness'
  const role = { metadata: { name }, rules: [{ verbs: ['get', 'create'], apiGroups: [''], resources: ['pods'] }] }
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: limitedUser }]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
  for (const [resource, object] of Object.entries({ clusterroles: role, clusterrolebindings: { metadata: { name }, roleRef, subjects } })) {
    const { status, body } = await ask(server, 'POST', `${rbac}/${resource}`, object)
    if (status !== 201 && status !== 409) throw new Error(`${resource}: ${status}: ${body.toString()}`)
  }
  await waitForAccess(server, pod)
}
