import { matchLines, matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

const immediate = /^Warning: Immediate deletion does not wait for confirmation/
/** Warning about debug profiles, which only some versions of kubectl print. */
const profiles = /^(--profile=legacy is deprecated[^\n]*\n)?$/

const formatConfigMap = (name: string, owner?: { readonly name: string; readonly uid: string }): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(owner && { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', ...owner, blockOwnerDeletion: true }] }) },
  })

export const run: Topic = {
  'a pod': [
    ['run p --image=nginx --port=80 --labels=a=b,c=d --env=X=y -- serve --fast', 'pod/p created'],
    ['get pod p -o jsonpath={.spec.containers[0].args}/{.spec.containers[0].env}', '["serve","--fast"]/[{"name":"X","value":"y"}]'],
    ['get pods', matchTable('NAME READY STATUS RESTARTS AGE', 'p 0/1 Pending 0 *')],
    [
      'get pods -o wide',
      matchTable('NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES', 'p 0/1 Pending 0 * <none> <none> <none> <none>'),
    ],
    ['run p --image=nginx', { code: 1, stderr: 'Error from server (AlreadyExists): pods "p" already exists' }],
    [
      'run q --image=nginx --dry-run=client -o yaml',
      [/^apiVersion: v1\nkind: Pod\nmetadata:\n/, /labels:\n {4}run: q\n/, /image: nginx\n {4}name: q\n/],
    ],
    ['run q --image=nginx --dry-run=server -o jsonpath={.spec.dnsPolicy}/{.spec.serviceAccountName}', 'ClusterFirst/default'],
    ['run q --image=nginx --expose --port=80', 'service/q created\npod/q created'],
    ['get svc q', matchTable('NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE', 'q ClusterIP * <none> 80/TCP *')],
    [
      `run r --image=nginx --overrides={"spec":{"restartPolicy":"Never","containers":[]}}`,
      { code: 1, stderr: 'The Pod "r" is invalid: spec.containers: Required value' },
    ],
    ['run --image=nginx', { code: 1, stderr: /NAME is required for run/ }],
    ['get pods --field-selector=spec.restartPolicy=Always,status.phase=Pending -o name', 'pod/p\npod/q'],
  ],
  'debug: ephemeral containers and copies': [
    ['run p --image=nginx', 'pod/p created'],
    ['debug p --image=busybox --container=debugger', { stderr: profiles }],
    ['get pod p -o jsonpath={.spec.ephemeralContainers[*].name}', 'debugger'],
    ['debug p --image=busybox --container=net --profile=netadmin', ''],
    ['get pod p -o jsonpath={.spec.ephemeralContainers[1].securityContext.capabilities.add}', /"NET_ADMIN"/],
    ['debug p --copy-to=copy', { code: 1, stderr: 'error: you must specify --image, --set-image or command arguments.' }],
    ['debug p --copy-to=copy --set-image=p=other --profile=general', ''],
    ['get pod copy -o jsonpath={.spec.containers[*].image}', 'other'],
    ['debug node/nope --image=busybox --profile=general', { code: 1, stderr: 'Error from server (NotFound): nodes "nope" not found' }],
  ],
  'delete: by name, label, file, all': [
    ['create configmap a', 'configmap/a created'],
    ['create configmap b', 'configmap/b created'],
    ['create configmap c', 'configmap/c created'],
    ['label cm a b x=y', 'configmap/a labeled\nconfigmap/b labeled'],
    ['delete cm a --dry-run=server', /^configmap "a" deleted .*\(server dry run\)\n$/],
    ['delete cm a --dry-run=client', /^configmap "a" deleted .*\(dry run\)\n$/],
    ['delete cm a', /^configmap "a" deleted/],
    ['delete cm -l x=y', /^configmap "b" deleted[^\n]*\n$/],
    ['delete cm -l x=y', 'No resources found'],
    ['delete cm a', { code: 1, stderr: 'Error from server (NotFound): configmaps "a" not found' }],
    ['delete cm a --ignore-not-found', ''],
    [
      'delete cm/a svc/a',
      { code: 1, stderr: 'Error from server (NotFound): configmaps "a" not found\nError from server (NotFound): services "a" not found' },
    ],
    ['delete -f - -o name', 'configmap/c', formatConfigMap('c')],
    ['delete cm', { code: 1, stderr: 'error: resource(s) were provided, but no name was specified' }],
    ['delete cm --all', /^configmap "kube-root-ca\.crt" deleted/],
    ['create deployment d --image=x', 'deployment.apps/d created'],
    ['delete deploy,svc --all --wait=false', /^deployment\.apps "d" deleted/],
    ['delete all --all', 'No resources found'],
  ],
  'delete: grace periods': [
    ['run slow --image=x', 'pod/slow created'],
    ['run now --image=x', 'pod/now created'],
    ['run forced --image=x', 'pod/forced created'],
    ['delete pod slow --grace-period=5', /^pod "slow" deleted/],
    ['delete pod now --now', /^pod "now" deleted/],
    ['delete pod forced --grace-period=0 --force', { stdout: /^pod "forced" force deleted/, stderr: immediate }],
    ['delete pod x --grace-period=0', { code: 1, stderr: /NotFound/ }],
    ['get pods', { stderr: /^No resources found/ }],
    [`run bound --image=x --overrides={"spec":{"nodeName":"far"}}`, 'pod/bound created'],
    ['delete pod bound --wait=false', /^pod "bound" deleted/],
    ['get pod bound', /^bound +0\/1 +Terminating +0 /m],
    ['delete pod bound --grace-period=0 --force', { stdout: /^pod "bound" force deleted/, stderr: immediate }],
  ],
  'delete: cascades': async (session) => {
    for (const [mode, left] of [
      ['background', ''],
      ['foreground', ''],
      ['orphan', 'configmap/owned-orphan'],
    ] as const) {
      await session.play(['create -f -', `configmap/owner-${mode} created`, formatConfigMap(`owner-${mode}`)])
      const uid = await session.run(`get cm owner-${mode} -o jsonpath={.metadata.uid}`)
      await session.play(
        ['create -f -', `configmap/owned-${mode} created`, formatConfigMap(`owned-${mode}`, { name: `owner-${mode}`, uid })],
        [`delete cm owner-${mode} --cascade=${mode}`, new RegExp(`^configmap "owner-${mode}" deleted`)],
        ...(left === ''
          ? [[`wait cm/owned-${mode} --for=delete --timeout=10s`, /^($|configmap\/owned-\w+ condition met\n$)/] as const]
          : []),
        [`get cm owned-${mode} --ignore-not-found -o name`, left],
      )
    }
    await session.play(['get cm owned-orphan -o jsonpath={.metadata.ownerReferences}', ''])
  },
  'deletes a namespace with its objects': async (session) => {
    const inner = `${session.namespace}-inner`
    await session.play(
      [`create namespace ${inner}`, `namespace/${inner} created`],
      [`wait sa/default cm/kube-root-ca.crt --for=create --timeout=10s -n ${inner}`, /condition met/],
      [`get sa/default cm/kube-root-ca.crt -n ${inner} -o name`, 'serviceaccount/default\nconfigmap/kube-root-ca.crt'],
      [`create configmap inside -n ${inner}`, 'configmap/inside created'],
      [`run inside --image=x -n ${inner}`, 'pod/inside created'],
      [
        `describe namespace ${inner}`,
        matchLines(
          `Name: ${inner}`,
          `Labels: kubernetes.io/metadata.name=${inner}`,
          'Status: Active',
          'No resource quota.',
          'No LimitRange resource.',
        ),
      ],
      [`delete ns ${inner} --timeout=30s`, new RegExp(`^namespace "${inner}" deleted`)],
      [`get ns ${inner}`, { code: 1, stderr: `Error from server (NotFound): namespaces "${inner}" not found` }],
      [`get cm,pods -n ${inner}`, { stderr: `No resources found in ${inner} namespace.` }],
      [
        'delete ns kube-system',
        { code: 1, stderr: 'Error from server (Forbidden): namespaces "kube-system" is forbidden: this namespace may not be deleted' },
      ],
    )
  },
}
