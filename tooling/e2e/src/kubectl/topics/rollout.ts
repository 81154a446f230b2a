import { matchLines, matchTable } from '../expected.ts'
import type { Session, Step } from '../session.ts'
import type { Topic } from '../topic.ts'

/** Step that creates a ReplicaSet like the deployment controller does for Deployment `web`. No controller runs in this test. */
function createReplicaSet(uid: string, revision: number, image: string, cause: string): Step {
  const labels = { app: 'web', 'pod-template-hash': `h${revision}` }
  const annotations = { 'deployment.kubernetes.io/revision': String(revision), 'kubernetes.io/change-cause': cause }
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true }]
  const template = { metadata: { labels }, spec: { containers: [{ name: 'nginx', image }] } }
  const metadata = { name: `web-${revision}`, labels, annotations, ownerReferences }
  return [
    'create -f -',
    `replicaset.apps/web-${revision} created`,
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata,
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    }),
  ]
}

/** Step that creates a ControllerRevision like the controllers of StatefulSets and DaemonSets do. */
function createControllerRevision(kind: string, uid: string, revision: number, image: string): Step {
  const labels = { app: 'web' }
  const template = { $patch: 'replace', metadata: { labels }, spec: { containers: [{ name: 'nginx', image }] } }
  const name = `${kind.toLowerCase()}-${revision}`
  return [
    'create -f -',
    `controllerrevision.apps/${name} created`,
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name, labels, ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'web', uid, controller: true }] },
      data: { spec: { template } },
      revision,
    }),
  ]
}

const image = '-o jsonpath={.spec.template.spec.containers[0].image}'

export const rollout: Topic = {
  deployments: async (session) => {
    const readUid = async (): Promise<string> => session.run('get deploy web -o jsonpath={.metadata.uid}')
    const formatStatusPatch = (overrides: object): string =>
      `patch deployment web --subresource=status --type=merge -p ${JSON.stringify({ status: { observedGeneration: 99, replicas: 3, ...overrides } })}`
    await session.play(
      ['create deployment web --image=nginx:2 --replicas=3', 'deployment.apps/web created'],
      ['get deploy web', matchTable('NAME READY UP-TO-DATE AVAILABLE AGE', 'web 0/3 0 0 *')],
      [
        'describe deployment web',
        matchLines(
          'Replicas: 3 desired | 0 updated | 0 total | 0 available | 0 unavailable',
          'StrategyType: RollingUpdate',
          'RollingUpdateStrategy: 25% max unavailable, 25% max surge',
          'Image: nginx:2',
        ),
      ],
    )
    const owner = await readUid()
    await session.play(
      createReplicaSet(owner, 1, 'nginx:1', 'first'),
      createReplicaSet(owner, 2, 'nginx:2', 'second'),
      ['annotate deployment web deployment.kubernetes.io/revision=2', 'deployment.apps/web annotated'],
      ['rollout history deployment/web', /^deployment\.apps\/web ?\nREVISION +CHANGE-CAUSE\n1 +first\n2 +second\n/],
      ['rollout history deployment/web --revision=1', [/^deployment\.apps\/web with revision #1\n/, /Image:\s+nginx:1\n/]],
      ['rollout history deployment/web --revision=7', { code: 1, stderr: 'error: unable to find the specified revision' }],
      ['rollout undo deployment/web --dry-run=server', 'deployment.apps/web rolled back (server dry run)'],
      ['rollout undo deployment/web --to-revision=1', 'deployment.apps/web rolled back'],
      [`get deployment web ${image}`, 'nginx:1'],
      ['rollout pause deployment/web', 'deployment.apps/web paused'],
      ['rollout pause deployment/web', { code: 1, stderr: 'error: deployments.apps "web" is already paused' }],
      [
        'rollout restart deployment/web',
        { code: 1, stderr: `error: deployments.apps "web" can't restart paused deployment (run rollout resume first)` },
      ],
      ['rollout resume deployment/web', 'deployment.apps/web resumed'],
      ['rollout restart deployment/web', 'deployment.apps/web restarted'],
      ['get deployment web -o jsonpath={.spec.template.metadata.annotations}', /"kubectl\.kubernetes\.io\/restartedAt":"\d{4}-/],
      [formatStatusPatch({ updatedReplicas: 1 }), 'deployment.apps/web patched'],
      [
        'rollout status deployment/web --watch=false',
        'Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...',
      ],
      [
        'rollout status deployment/web --timeout=1s',
        { code: 1, stdout: /^($|Waiting for deployment "web" rollout to finish)/, stderr: 'error: timed out waiting for the condition' },
      ],
    )
    const waiting = session.start('rollout status deployment/web --timeout=20s')
    await waiting.until('1 out of 3')
    await session.play([formatStatusPatch({ updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 }), 'deployment.apps/web patched'])
    await waiting.until('deployment "web" successfully rolled out')
    await session.play(
      ['get deploy web', matchTable('NAME READY UP-TO-DATE AVAILABLE AGE', 'web 3/3 3 3 *')],
      [
        'get rs -o wide',
        matchTable(
          'NAME DESIRED CURRENT READY AGE CONTAINERS IMAGES SELECTOR',
          'web-1 0 0 0 * nginx nginx:1 app=web,pod-template-hash=h1',
          'web-2 0 0 0 * nginx nginx:2 app=web,pod-template-hash=h2',
        ),
      ],
      ['get all -o name', 'deployment.apps/web\nreplicaset.apps/web-1\nreplicaset.apps/web-2'],
      ['delete deployment web --cascade=foreground', /^deployment\.apps "web" deleted/],
      ['get rs', { stderr: /^No resources found/ }],
    )
  },
  'stateful sets': (session) => createRevisions(session, 'StatefulSet'),
  'daemon sets': (session) => createRevisions(session, 'DaemonSet'),
}

const rolledOut = {
  StatefulSet: { replicas: 1, readyReplicas: 1, updatedReplicas: 1, currentRevision: 'r', updateRevision: 'r' },
  DaemonSet: {
    currentNumberScheduled: 1,
    desiredNumberScheduled: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberReady: 1,
    numberMisscheduled: 0,
  },
}

/** Tests the rollout commands for a kind whose history is in ControllerRevisions. */
async function createRevisions(session: Session, kind: keyof typeof rolledOut): Promise<void> {
  const workload = `${kind.toLowerCase()}.apps/web`
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'nginx', image: 'nginx:2' }] } }
  const spec = { selector: { matchLabels: labels }, template, ...(kind === 'StatefulSet' && { serviceName: 'web' }) }
  await session.play([
    'create -f -',
    `${workload} created`,
    JSON.stringify({ apiVersion: 'apps/v1', kind, metadata: { name: 'web' }, spec }),
  ])
  const uid = await session.run(`get ${workload} -o jsonpath={.metadata.uid}`)
  await session.write('status.json', JSON.stringify({ status: { observedGeneration: 99, ...rolledOut[kind] } }))
  await session.play(
    createControllerRevision(kind, uid, 1, 'nginx:1'),
    createControllerRevision(kind, uid, 2, 'nginx:2'),
    [
      'get controllerrevisions --sort-by=.revision',
      /^NAME +CONTROLLER +REVISION +AGE\n\S+-1 +\S+\/web +1 +\S+\n\S+-2 +\S+\/web +2 +\S+\n$/,
    ],
    [`rollout history ${workload}`, /REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>\n/],
    [`rollout undo ${workload} --to-revision=1`, `${workload} rolled back`],
    [`get ${workload} ${image}`, 'nginx:1'],
    [`rollout restart ${workload}`, `${workload} restarted`],
    [`patch ${workload} --subresource=status --type=merge --patch-file=status.json`, `${workload} patched`],
    [`rollout status ${workload} --timeout=20s`, /(rolling update complete|roll out complete|successfully rolled out)/],
  )
}
