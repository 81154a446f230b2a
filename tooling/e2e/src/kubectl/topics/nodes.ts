import { matchLines, matchTable } from '../expected.ts'
import type { Session, Step } from '../session.ts'
import type { Topic } from '../topic.ts'

const formatNode = (name: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'node-role.kubernetes.io/worker': '' } },
    spec: { podCIDR: '10.244.0.0/24' },
  })

const status = JSON.stringify({
  status: {
    capacity: { cpu: '4', memory: '8Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'well', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    addresses: [{ type: 'InternalIP', address: '192.168.0.9' }],
    nodeInfo: {
      kubeletVersion: 'v1.36.0',
      osImage: 'Linux',
      kernelVersion: '6',
      containerRuntimeVersion: 'containerd://2',
      architecture: 'arm64',
    },
  },
})

/** Creates a ready node that no other test uses. */
async function createReadyNode(session: Session): Promise<string> {
  const name = `${session.namespace}-node`
  await session.play(
    ['create -f -', `node/${name} created`, formatNode(name)],
    [`patch node ${name} --subresource=status --type=merge -p '${status}'`, `node/${name} patched`],
  )
  return name
}

const runOnNode = (name: string, on: string): Step => [
  `run ${name} --image=x --overrides={"spec":{"nodeName":"${on}"}}`,
  `pod/${name} created`,
]

export const nodes: Topic = {
  'get and describe': async (session) => {
    const name = await createReadyNode(session)
    await session.play(
      [`get node ${name}`, matchTable('NAME STATUS ROLES AGE VERSION', `${name} Ready worker * v1.36.0`)],
      [
        `get node ${name} -o wide`,
        matchTable(
          'NAME STATUS ROLES AGE VERSION INTERNAL-IP EXTERNAL-IP OS-IMAGE KERNEL-VERSION CONTAINER-RUNTIME',
          `${name} Ready worker * v1.36.0 192.168.0.9 <none> Linux 6 (arm64) containerd://2`,
        ),
      ],
      runOnNode('p', name),
      [
        `describe node ${name}`,
        matchLines(
          'Roles: worker',
          'Taints: node.kubernetes.io/not-ready:NoSchedule',
          'Unschedulable: false',
          'InternalIP: 192.168.0.9',
          'PodCIDR: 10.244.0.0/24',
          'Non-terminated Pods: (1 in total)',
          `${session.namespace} p 0 (0%) 0 (0%) 0 (0%) 0 (0%) *`,
        ),
      ],
      [`top node ${name}`, { code: 1, stderr: 'error: Metrics API not available' }],
      ['top pods', { code: 1, stderr: 'error: Metrics API not available' }],
    )
  },
  'cordon and taint': async (session) => {
    const name = await createReadyNode(session)
    await session.play(
      [`cordon ${name}`, `node/${name} cordoned`],
      [`cordon ${name}`, `node/${name} already cordoned`],
      [`get node ${name} --no-headers`, matchTable(`${name} Ready,SchedulingDisabled worker * v1.36.0`)],
      [`uncordon ${name}`, `node/${name} uncordoned`],
      [`taint node ${name} key=value:NoSchedule`, `node/${name} tainted`],
      [
        `taint node ${name} key=value:NoSchedule`,
        { code: 1, stderr: `error: node ${name} already has key taint(s) with same effect(s) and --overwrite is false` },
      ],
      [`taint node ${name} key=other:NoSchedule --overwrite`, `node/${name} modified`],
      [`get node ${name} -o jsonpath={.spec.taints[?(@.key=="key")].value}`, 'other'],
      [`taint node ${name} key:NoSchedule-`, `node/${name} untainted`],
      [`taint node ${name} key:NoSchedule-`, { code: 1, stderr: 'error: taint "key:NoSchedule" not found' }],
    )
  },
  'drain evicts pods within their disruption budgets': async (session) => {
    const name = await createReadyNode(session)
    await session.play(
      runOnNode('free', name),
      runOnNode('kept', name),
      ['create pdb b --selector=run=kept --min-available=1', 'poddisruptionbudget.policy/b created'],
      [
        'patch pdb b --subresource=status --type=merge -p {"status":{"observedGeneration":1,"disruptionsAllowed":0,"desiredHealthy":1,"currentHealthy":1,"expectedPods":1}}',
        'poddisruptionbudget.policy/b patched',
      ],
      [
        'patch pod kept --subresource=status --type=merge -p {"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}',
        'pod/kept patched',
      ],
      [
        `drain ${name}`,
        {
          code: 1,
          stdout: `node/${name} cordoned`,
          stderr: /cannot delete.* Pods that declare no controller \(use --force to override\): /,
        },
      ],
      [
        `drain ${name} --force --grace-period=0 --timeout=5s`,
        {
          code: 1,
          stdout: ['evicting pod', 'pod/free evicted'],
          stderr: /Cannot evict pod as it would violate the pod's disruption budget\./,
        },
      ],
      ['get pods -o name', 'pod/kept'],
      ['patch pdb b --subresource=status --type=merge -p {"status":{"disruptionsAllowed":1}}', 'poddisruptionbudget.policy/b patched'],
      [
        `drain ${name} --force --grace-period=0 --timeout=20s`,
        { stdout: ['pod/kept evicted', `node/${name} drained`], stderr: /Warning: deleting Pods that declare no controller/ },
      ],
      ['get pods', { stderr: /^No resources found/ }],
      ['get pdb b -o jsonpath={.status.disruptionsAllowed}/{.status.disruptedPods.kept}', /^0\/\d{4}-/],
      [`delete node ${name}`, new RegExp(`^node "${name}" deleted`)],
    )
  },
}
