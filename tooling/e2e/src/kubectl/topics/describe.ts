import { matchLines, matchTable } from '../expected.ts'
import type { Step } from '../session.ts'
import type { Topic } from '../topic.ts'

const make = (kind: string, name: string, body: object, apiVersion = 'v1'): Step => {
  const group = apiVersion.split('/').length > 1 ? `.${apiVersion.split('/')[0]}` : ''
  return [
    'create -f -',
    { stdout: `${kind.toLowerCase()}${group}/${name} created`, stderr: /^(Warning: v1 Endpoints is deprecated[^\n]*\n)?$/ },
    JSON.stringify({ apiVersion, kind, metadata: { name }, ...body }),
  ]
}
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } }

export const describing: Topic = {
  'pods and their events': async (session) => {
    const formatSecondsAgo = (ago: number): string => new Date(Date.now() - ago * 1000).toISOString().replace(/\.\d+Z/, 'Z')
    const createEvent = (reason: string, type: string, overrides: object = {}): Step =>
      make('Event', `p.${reason.toLowerCase()}`, {
        involvedObject,
        reason,
        type,
        message: `it ${reason.toLowerCase()}`,
        source: { component: 'test' },
        firstTimestamp: formatSecondsAgo(7201),
        lastTimestamp: formatSecondsAgo(3601),
        count: 1,
        ...overrides,
      })
    const pod = {
      spec: {
        initContainers: [{ name: 'i', image: 'y', command: ['sh', '-c', 'true'] }],
        containers: [
          {
            name: 'c',
            image: 'x',
            ports: [{ name: 'http', containerPort: 80 }],
            env: [
              { name: 'A', value: '1' },
              { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
            ],
            resources: { limits: { cpu: '1', memory: '1Gi' } },
            livenessProbe: { httpGet: { path: '/', port: 'http' } },
            volumeMounts: [{ name: 'v', mountPath: '/v' }],
          },
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    }
    await session.play(make('Pod', 'p', pod))
    const uid = await session.run('get pod p -o jsonpath={.metadata.uid}')
    const involvedObject = { apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: session.namespace, uid }
    await session.play(
      [
        'describe pod p',
        matchLines(
          'Name: p',
          'Priority: 0',
          'Service Account: default',
          'Node: <none>',
          'Status: Pending',
          'Image: y',
          'cpu: 1',
          'A: 1',
          "S: <set to the key 'k' in secret 's'> Optional: false",
          '/v from v (rw)',
          'Liveness: http-get http://:http/ delay=0s timeout=1s period=10s #success=1 #failure=3',
          "Type: EmptyDir (a temporary directory that shares a pod's lifetime)",
          'QoS Class: Burstable',
          'Events: <none>',
        ),
      ],
      createEvent('Started', 'Normal', { count: 3 }),
      createEvent('Failed', 'Warning', { source: { component: 'test', host: 'n' } }),
      [
        'describe pod p',
        [
          /^Events:\n {2}Type +Reason +Age +From +Message\n/m,
          /^ {2}Normal +Started +60m \(x3 over 120m\) +test +it started$/m,
          /^ {2}Warning +Failed +(60m|120m) +test +it failed$/m,
        ],
      ],
      ['describe pods', [/^Name: +p$/m, /^ {4}Port: +80\/TCP( \(http\))?$/m]],
      ['describe pod nope', { code: 1, stderr: 'Error from server (NotFound): pods "nope" not found' }],
      ['describe pods -l no=such', { stderr: /^No resources found/ }],
      [
        'get events',
        matchTable('LAST SEEN TYPE REASON OBJECT MESSAGE', '60m Warning Failed pod/p it failed', '60m Normal Started pod/p it started'),
      ],
      [
        'get events -o wide --field-selector=reason=Failed',
        matchTable(
          'LAST SEEN TYPE REASON OBJECT SUBOBJECT SOURCE MESSAGE FIRST SEEN COUNT NAME',
          '60m Warning Failed pod/p test, n it failed 120m 1 p.failed',
        ),
      ],
      [
        'get events.events.k8s.io --field-selector=type=Warning',
        matchTable('LAST SEEN TYPE REASON OBJECT MESSAGE', '60m Warning Failed pod/p it failed'),
      ],
      ['get events --field-selector=involvedObject.kind=Node', { stderr: /^No resources found/ }],
      ['events --for=pod/p --types=Warning', matchTable('LAST SEEN TYPE REASON OBJECT MESSAGE', '120m Warning Failed Pod/p it failed')],
      ['events --for=pod/other', { stderr: /^No events found in session-\d+ namespace\.\n$/ }],
    )
    const watch = session.start('events --for=pod/p --watch')
    try {
      await watch.until('it started')
      await session.play(createEvent('Late', 'Normal'))
      await watch.until('it late')
    } finally {
      watch.child.kill()
    }
  },
  'storage, limits and quotas': async (session) => {
    const volume = session.namespace
    await session.play(
      make('PersistentVolume', volume, {
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      }),
      make('PersistentVolumeClaim', 'c', {
        spec: { storageClassName: '', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      make('LimitRange', 'l', {
        spec: { limits: [{ type: 'Container', default: { cpu: '100m' }, defaultRequest: { cpu: '50m' }, max: { cpu: '2' } }] },
      }),
      make('ResourceQuota', 'q', { spec: { hard: { pods: '10' } } }),
      [
        'patch quota q --subresource=status --type=merge -p {"status":{"hard":{"pods":"10","limits.cpu":"4"},"used":{"pods":"1","limits.cpu":"2"}}}',
        'resourcequota/q patched',
      ],
      make('StorageClass', volume, { provisioner: 'x.io/y', reclaimPolicy: 'Retain' }, 'storage.k8s.io/v1'),
      [
        `describe pv ${volume}`,
        matchLines(
          'Finalizers: [kubernetes.io/pv-protection]',
          'Status: Pending',
          'Reclaim Policy: Retain',
          'Access Modes: RWO',
          'Capacity: 1Gi',
          'Type: HostPath (bare host directory volume)',
        ),
      ],
      [
        `get pv ${volume}`,
        matchTable(
          'NAME CAPACITY ACCESS MODES RECLAIM POLICY STATUS CLAIM STORAGECLASS VOLUMEATTRIBUTESCLASS REASON AGE',
          `${volume} 1Gi RWO Retain Pending <unset> *`,
        ),
      ],
      [
        'describe pvc c',
        matchLines('Status: Pending', 'Finalizers: [kubernetes.io/pvc-protection]', 'VolumeMode: Filesystem', 'Used By: <none>'),
      ],
      ['get pvc c', matchTable('NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE', 'c Pending <unset> *')],
      [
        'describe limits l',
        matchLines('Type Resource Min Max Default Request Default Limit Max Limit/Request Ratio', 'Container cpu - 2 50m 100m -'),
      ],
      ['get limits', /^NAME +CREATED AT\nl +\d{4}-/],
      ['describe quota q', matchLines('Resource Used Hard', 'limits.cpu 2 4', 'pods 1 10')],
      ['get quota', matchTable('NAME REQUEST LIMIT AGE', 'q pods: 1/10 limits.cpu: 2/4 *')],
      [
        `describe sc ${volume}`,
        matchLines('IsDefaultClass: No', 'Provisioner: x.io/y', 'ReclaimPolicy: Retain', 'VolumeBindingMode: Immediate'),
      ],
      [
        `get sc ${volume}`,
        matchTable(
          'NAME PROVISIONER RECLAIMPOLICY VOLUMEBINDINGMODE ALLOWVOLUMEEXPANSION AGE',
          `${volume} x.io/y Retain Immediate false *`,
        ),
      ],
    )
  },
  'services and their endpoints': [
    make('Service', 's', { spec: { ports: [{ name: 'http', port: 80 }], type: 'NodePort', selector: { a: 'b' } } }),
    make('Endpoints', 's', { subsets: [{ addresses: [{ ip: '1.2.3.4' }], ports: [{ name: 'http', port: 80 }] }] }),
    make(
      'EndpointSlice',
      's-1',
      { addressType: 'IPv4', endpoints: [{ addresses: ['1.2.3.4'] }], ports: [{ name: 'http', port: 80 }] },
      'discovery.k8s.io/v1',
    ),
    [
      'describe svc s',
      matchLines(
        'Selector: a=b',
        'Type: NodePort',
        'IP Family Policy: SingleStack',
        'IP Families: IPv4',
        'Port: http 80/TCP',
        'Session Affinity: None',
        'External Traffic Policy: Cluster',
        'Internal Traffic Policy: Cluster',
      ),
    ],
    [
      'describe endpoints s',
      {
        stdout: matchLines('Addresses: 1.2.3.4', 'NotReadyAddresses: <none>', 'http 80 TCP'),
        stderr: 'Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
      },
    ],
    ['get endpointslices', matchTable('NAME ADDRESSTYPE PORTS ENDPOINTS AGE', 's-1 IPv4 80 1.2.3.4 *')],
    make('NetworkPolicy', 'n', { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } }, 'networking.k8s.io/v1'),
    [
      'describe netpol n',
      matchLines('Allowing ingress traffic:', 'To Port: 80/TCP', 'Not affecting egress traffic', 'Policy Types: Ingress'),
    ],
    ['get netpol', matchTable('NAME POD-SELECTOR AGE', 'n <none> *')],
  ],
  'config maps and secrets': [
    make('ConfigMap', 'c', { data: { k: 'v' }, binaryData: { b: 'AAAA' } }),
    make('Secret', 's', { stringData: { k: 'v' } }),
    make('PodTemplate', 't', { template }),
    ['describe cm c', [...matchLines('k:', 'v', 'b: 3 bytes', 'Events: <none>'), /^Data\n====\nk:\n----\nv\n/m]],
    ['describe secret s', matchLines('Type: Opaque', 'k: 1 bytes')],
    ['describe sa default', matchLines('Name: default', 'Image pull secrets: <none>', 'Mountable secrets: <none>', 'Tokens: <none>')],
    ['describe podtemplate t', matchLines('API Version: v1', 'Kind: PodTemplate', 'Generation: 1', 'Image: x')],
    ['get podtemplates', matchTable('NAME CONTAINERS IMAGES POD LABELS', 't c x a=b')],
    ['describe nope/x', { code: 1, stderr: `error: the server doesn't have a resource type "nope"` }],
  ],
  workloads: [
    make('ReplicationController', 'r', { spec: { replicas: 1, selector: { a: 'b' }, template } }),
    make('StatefulSet', 's', { spec: { serviceName: 's', selector: { matchLabels: { a: 'b' } }, template } }, 'apps/v1'),
    make('DaemonSet', 'd', { spec: { selector: { matchLabels: { a: 'b' } }, template } }, 'apps/v1'),
    make('ReplicaSet', 'rs', { spec: { selector: { matchLabels: { a: 'b' } }, template } }, 'apps/v1'),
    [
      'describe rc r',
      matchLines('Selector: a=b', 'Replicas: 0 current / 1 desired', 'Pods Status: 0 Running / 0 Waiting / 0 Succeeded / 0 Failed'),
    ],
    [
      'describe sts s',
      matchLines(
        'Selector: a=b',
        'Replicas: 1 desired | 0 total',
        'Update Strategy: RollingUpdate',
        'Partition: 0',
        'Volume Claims: <none>',
      ),
    ],
    [
      'describe ds d',
      matchLines(
        'Selector: a=b',
        'Desired Number of Nodes Scheduled: 0',
        'Number of Nodes Misscheduled: 0',
        'Annotations: deprecated.daemonset.template.generation: 1',
      ),
    ],
    ['describe rs rs', matchLines('Selector: a=b', 'Replicas: 0 current / 1 desired')],
    [
      'get sts,ds,rs',
      [/^statefulset\.apps\/s +0\/1 /m, /^daemonset\.apps\/d +0 +0 +0 +0 +0 +<none> /m, /^replicaset\.apps\/rs +1 +0 +0 /m],
    ],
  ],
}
