import { matchLines, matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

const controller = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'rc' },
  spec: {
    replicas: 1,
    selector: { a: 'b' },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
  },
})

export const scale: Topic = {
  'resources with replicas': [
    ['create -f -', 'replicationcontroller/rc created', controller],
    ['create deployment d --image=x', 'deployment.apps/d created'],
    ['scale rc rc --replicas=3', 'replicationcontroller/rc scaled'],
    ['scale rc rc --replicas=4 --current-replicas=1', { code: 1, stderr: 'error: Expected replicas to be 1, was 3' }],
    ['scale rc rc --replicas=4 --resource-version=1', { code: 1, stderr: /^error: Expected resource version to be 1, was \d+\n$/ }],
    ['scale rc rc --replicas=4 --dry-run=server', 'replicationcontroller/rc scaled (server dry run)'],
    ['get rc rc -o wide', matchTable('NAME DESIRED CURRENT READY AGE CONTAINERS IMAGES SELECTOR', 'rc 3 0 0 * c x a=b')],
    ['scale rc/rc deploy/d --replicas=2', 'replicationcontroller/rc scaled\ndeployment.apps/d scaled'],
    ['scale deploy d --replicas=3 --current-replicas=2', 'deployment.apps/d scaled'],
    ['get rc rc --subresource=scale', matchTable('NAME DESIRED AVAILABLE AGE', 'rc 2 0 *')],
    ['get deploy d -o jsonpath={.metadata.generation}/{.spec.replicas}', '3/3'],
    [
      'scale cm kube-root-ca.crt --replicas=1',
      { code: 1, stderr: 'Error from server (NotFound): the server could not find the requested resource' },
    ],
    ['scale deploy nope --replicas=1', { code: 1, stderr: 'error: no objects passed to scale deployments.apps "nope" not found' }],
    ['describe rc rc', matchLines('Selector: a=b', 'Labels: a=b', 'Replicas: 0 current / 2 desired')],
  ],
  autoscale: [
    ['create deployment d --image=x', 'deployment.apps/d created'],
    [
      'autoscale deployment d --min=2 --max=5 --cpu-percent=50',
      { stdout: 'horizontalpodautoscaler.autoscaling/d autoscaled', stderr: /^(Flag --cpu-percent has been deprecated[^\n]*\n)?$/ },
    ],
    ['get hpa d', matchTable('NAME REFERENCE TARGETS MINPODS MAXPODS REPLICAS AGE', 'd Deployment/d cpu: <unknown>/50% 2 5 0 *')],
    [
      'describe hpa d',
      matchLines('Reference: Deployment/d', 'Min replicas: 2', 'Max replicas: 5', 'Deployment pods: 0 current / 0 desired'),
    ],
    ['get horizontalpodautoscalers.v1.autoscaling d -o jsonpath={.spec.targetCPUUtilizationPercentage}', '50'],
    [
      'autoscale deployment d --min=5 --max=2',
      { code: 1, stderr: 'error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: 2, min: 5' },
    ],
    [
      'autoscale deployment d --max=5',
      { code: 1, stderr: 'Error from server (AlreadyExists): horizontalpodautoscalers.autoscaling "d" already exists' },
    ],
  ],
  'wait for conditions, fields, creation and deletion': async (session) => {
    const ready = '{"status":{"phase":"Running","podIP":"10.9.9.9","conditions":[{"type":"Ready","status":"True"}]}}'
    await session.play(
      ['run p --image=x', 'pod/p created'],
      ['wait pod/p --for=condition=Ready --timeout=1s', { code: 1, stderr: 'error: timed out waiting for the condition on pods/p' }],
      ['wait pod/nope --for=condition=Ready --timeout=1s', { code: 1, stderr: 'Error from server (NotFound): pods "nope" not found' }],
      ['wait pod/p --for=delete --timeout=1s', { code: 1, stderr: 'error: timed out waiting for the condition on pods/p' }],
      ['wait cm --all --for=create --timeout=20s', /^configmap\/kube-root-ca\.crt condition met\n$/],
    )
    const condition = session.run('wait pod/p --for=condition=Ready --timeout=20s')
    const field = session.run('wait pod/p --for=jsonpath={.status.phase}=Running --timeout=20s')
    const creation = session.run('wait cm/late --for=create --timeout=20s')
    await session.play(
      [`patch pod p --subresource=status --type=merge -p ${ready}`, 'pod/p patched'],
      ['create configmap late', 'configmap/late created'],
      ['wait pod/p --for=jsonpath={.status.podIP} --timeout=20s', 'pod/p condition met'],
      ['wait pods -l run=p --for=condition=Ready=true --timeout=20s', 'pod/p condition met'],
    )
    const deletion = session.run('wait pod/p --for=delete --timeout=20s')
    await session.play([
      'delete pod p --grace-period=0 --force',
      { stdout: /^pod "p" force deleted/, stderr: /^Warning: Immediate deletion does not wait/ },
    ])
    // kubectl wait does not report objects that were deleted before it started.
    const met = (await Promise.all([condition, field, creation, deletion])).join('')
    if (!/^pod\/p condition met\npod\/p condition met\nconfigmap\/late condition met\n(pod\/p condition met\n)?$/.test(met))
      throw new Error(`wait printed:\n${met}`)
  },
}
