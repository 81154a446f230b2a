import { matchLines, matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

const notFound = 'Error from server (NotFound): configmaps "nope" not found'

export const get: Topic = {
  'as a table': [
    ['create configmap a --from-literal=x=1 --from-literal=z=2', 'configmap/a created'],
    ['create configmap b', 'configmap/b created'],
    ['label configmap a tier=front', 'configmap/a labeled'],
    ['get configmaps a', matchTable('NAME DATA AGE', 'a 2 *')],
    ['get cm a b -o wide', matchTable('NAME DATA AGE', 'a 2 *', 'b 0 *')],
    ['get cm a --no-headers', matchTable('a 2 *')],
    ['get cm a --show-labels', matchTable('NAME DATA AGE LABELS', 'a 2 * tier=front')],
    ['get cm b --show-labels --show-kind', matchTable('NAME DATA AGE LABELS', 'configmap/b 0 * <none>')],
    ['get cm -L tier a b', matchTable('NAME DATA AGE TIER', 'a 2 * front', 'b 0 *')],
    ['get cm/a secret,svc --ignore-not-found', { code: 1, stderr: /there is no need to specify a resource type as a separate argument/ }],
    ['get pods', { stderr: /^No resources found in session-\d+ namespace\.\n$/ }],
  ],
  'in every other output format': async (session) => {
    await session.write('expression', '{.data.x}')
    await session.write('template', '{{.data.z}}')
    await session.play(
      ['create configmap a --from-literal=x=1 --from-literal=z=2', 'configmap/a created'],
      ['get cm a -o name', 'configmap/a'],
      [
        'get cm a -o yaml',
        [/^apiVersion: v1\ndata:\n {2}x: "1"\n {2}z: "2"\nkind: ConfigMap\nmetadata:\n {2}creationTimestamp: "/, /\n {2}name: a\n/],
      ],
      ['get cm a -o yaml --show-managed-fields', /fieldsV1:\n +f:data:\n +\.: \{\}\n +f:x: \{\}\n +f:z: \{\}\n +manager: kubectl-create\n/],
      [
        'get cm a -o json',
        /^\{\n {4}"apiVersion": "v1",\n {4}"data": \{\n {8}"x": "1",\n {8}"z": "2"\n {4}\},\n {4}"kind": "ConfigMap",\n/,
      ],
      ['get cm -o json --field-selector=metadata.name=a', [/"kind": "List"/, /"name": "a"/]],
      ['get cm a -o jsonpath={.data.x}', '1'],
      ['get cm a -o jsonpath-as-json={.data}', /"x": "1"/],
      ['get cm a -o jsonpath-file=expression', '1'],
      ['get cm a -o go-template={{.data.z}}', '2'],
      ['get cm a -o go-template-file=template', '2'],
      ['get cm a -o custom-columns=NAME:.metadata.name,X:.data.x,Q:.data.q', matchTable('NAME X Q', 'a 1 <none>')],
      ['get cm a -o nonsense', { code: 1, stderr: /unable to match a printer suitable for the output format "nonsense"/ }],
    )
  },
  'by selectors, in order, in pages': [
    ['create configmap c --from-literal=rank=1', 'configmap/c created'],
    ['create configmap b --from-literal=rank=2', 'configmap/b created'],
    ['create configmap a --from-literal=rank=3', 'configmap/a created'],
    ['label configmap a b tier=front', 'configmap/a labeled\nconfigmap/b labeled'],
    ['get cm -l tier=front -o name', 'configmap/a\nconfigmap/b'],
    ["get cm -l '!tier,tier notin (back)' -o name", /^configmap\/c\n/],
    ["get cm -l 'tier in (front,back)' -o name", 'configmap/a\nconfigmap/b'],
    ['get cm -l tier==back', { stderr: /^No resources found in session-\d+ namespace\.\n$/ }],
    ["get cm -l 'tier in front'", { code: 1, stderr: /unable to parse requirement: found 'front' expected: '\('/ }],
    ['get cm --field-selector=metadata.name!=kube-root-ca.crt --sort-by=.data.rank -o name', 'configmap/c\nconfigmap/b\nconfigmap/a'],
    [
      'get cm --field-selector=metadata.name!=kube-root-ca.crt --sort-by=.metadata.name --chunk-size=1 -o name',
      'configmap/a\nconfigmap/b\nconfigmap/c',
    ],
    [
      'get cm --field-selector=data.rank=1',
      {
        code: 1,
        stderr:
          'Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "", field selector "data.rank=1": "data.rank" is not a known field selector: only "metadata.name", "metadata.namespace"',
      },
    ],
    ['get cm -A --chunk-size=2 --no-headers -l tier', /^session-\d+ +a +1 +\S+\nsession-\d+ +b +1 /m],
    ['get ns default kube-system', matchTable('NAME STATUS AGE', 'default Active *', 'kube-system Active *')],
  ],
  'several kinds, and all': [
    ['create configmap a', 'configmap/a created'],
    ['create secret generic a', 'secret/a created'],
    ['create service clusterip a --tcp=80', 'service/a created'],
    ['create deployment a --image=x', 'deployment.apps/a created'],
    ['get cm/a secret/a -o name', 'configmap/a\nsecret/a'],
    [
      'get secret,svc',
      [
        /^NAME +TYPE +DATA +AGE\nsecret\/a +Opaque +0 +\S+\n\nNAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\) +AGE\nservice\/a +ClusterIP +10\.0\.\d+\.\d+ +<none> +80\/TCP +\S+\n$/,
      ],
    ],
    [
      'get all',
      /^NAME +TYPE [^\n]*\nservice\/a [^\n]*\n\nNAME +READY +UP-TO-DATE +AVAILABLE +AGE\ndeployment\.apps\/a +0\/1 +0 +0 +\S+\n$/,
    ],
    ['get all -o name', 'service/a\ndeployment.apps/a'],
  ],
  'missing objects and resources': [
    ['get cm nope', { code: 1, stderr: notFound }],
    ['get cm nope --ignore-not-found', ''],
    ['get cm nope kube-root-ca.crt -o name', { code: 1, stdout: 'configmap/kube-root-ca.crt', stderr: notFound }],
    ['get nope', { code: 1, stderr: `error: the server doesn't have a resource type "nope"` }],
    ['get configmaps.v2', { code: 1, stderr: `error: the server doesn't have a resource type "configmaps"` }],
    ['get deployments.v1.apps', { stderr: /^No resources found/ }],
    ['get cm', /kube-root-ca\.crt +1 /],
    ['get cm -n nowhere', { stderr: 'No resources found in nowhere namespace.' }],
  ],
  'raw paths': async (session) => {
    const collectionPath = `/api/v1/namespaces/${session.namespace}/configmaps`
    await session.play(
      ['get --raw /version', ['"major": "1",\n  "minor": "36"', '"gitVersion": "v1.36']],
      ['get --raw /readyz', 'ok'],
      ['get --raw /livez?verbose', [/^\[\+\]ping ok\n/, /livez check passed\n$/]],
      [`get --raw ${collectionPath}/nope`, { code: 1, stderr: notFound }],
      ['get --raw /nope', { code: 1, stderr: 'Error from server (NotFound): the server could not find the requested resource' }],
      [
        `create --raw ${collectionPath} -f -`,
        /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"raw"/,
        '{"metadata":{"name":"raw"}}',
      ],
      [`replace --raw ${collectionPath}/raw -f -`, /"data":\{"a":"1"\}\}\s*$/, '{"metadata":{"name":"raw"},"data":{"a":"1"}}'],
      [`delete --raw ${collectionPath}/raw`, /"status":"Success","details":\{"name":"raw","kind":"configmaps","uid":/],
    )
  },
  subresources: [
    ['create deployment web --image=x --replicas=2', 'deployment.apps/web created'],
    ['get deployment web --subresource=scale', matchTable('NAME DESIRED AVAILABLE AGE', 'web 2 0 *')],
    ['get deployment web --subresource=status', matchTable('NAME READY UP-TO-DATE AVAILABLE AGE', 'web 0/2 0 0 *')],
    [
      'get deployment web --subresource=scale -o yaml',
      [/^apiVersion: autoscaling\/v1\nkind: Scale\n/, /spec:\n {2}replicas: 2\nstatus:\n {2}replicas: 0\n {2}selector: app=web\n$/],
    ],
    ['get pod web --subresource=resize', { code: 1, stderr: 'Error from server (NotFound): pods "web" not found' }],
    [
      'get cm web --subresource=status',
      { code: 1, stderr: 'Error from server (NotFound): the server could not find the requested resource' },
    ],
  ],
  'watches all changes': async (session) => {
    await session.play(['create configmap before', 'configmap/before created'], ['label cm before seen=yes', 'configmap/before labeled'])
    const watch = session.start('get cm --watch -l seen=yes --output-watch-events')
    const only = session.start('get cm --watch-only -l seen=yes -o name')
    const json = session.start('get cm before -w -o jsonpath={.data}')
    try {
      await watch.until('ADDED')
      await session.play(
        ['create configmap live', 'configmap/live created'],
        ['label cm live seen=yes', 'configmap/live labeled'],
        ['patch cm live --type=merge -p {"data":{"a":"1"}}', 'configmap/live patched'],
        ['patch cm before --type=merge -p {"data":{"b":"2"}}', 'configmap/before patched'],
        ['label cm live seen-', 'configmap/live unlabeled'],
      )
      await Promise.all([watch.until('DELETED'), json.until('{"b":"2"}')])
      const rows = watch.lines().map((line) => line.split(/ +/).slice(0, 3).join(' '))
      const expected = ['EVENT NAME DATA', 'ADDED before 0', 'ADDED live 0', 'MODIFIED live 1', 'MODIFIED before 1', 'DELETED live 1']
      if (rows.join('\n') !== expected.join('\n')) throw new Error(`get --watch printed:\n${rows.join('\n')}`)
      await only.until('configmap/before')
      if (!only.lines().includes('configmap/live')) throw new Error(`get --watch-only printed:\n${only.lines().join('\n')}`)
    } finally {
      for (const { child } of [watch, only, json]) child.kill()
    }
  },
  'component statuses': [
    [
      'get componentstatuses etcd-0',
      {
        stdout: matchTable('NAME STATUS MESSAGE ERROR', 'etcd-0 Healthy ok'),
        stderr: 'Warning: v1 ComponentStatus is deprecated in v1.19+',
      },
    ],
    ['get endpointslices kubernetes -n default', /^NAME +ADDRESSTYPE +PORTS +ENDPOINTS +AGE\nkubernetes +IPv4 +\d+ +[\d.]+ +\S+\n$/],
    [
      'get svc kubernetes -n default -o wide',
      matchTable('NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE SELECTOR', 'kubernetes ClusterIP 10.0.0.1 <none> 443/TCP * <none>'),
    ],
    [
      'get pc',
      [
        ...matchLines(
          'system-cluster-critical 2000000000 false * PreemptLowerPriority',
          'system-node-critical 2000001000 false * PreemptLowerPriority',
        ),
      ],
    ],
    ['get servicecidrs', matchTable('NAME CIDRS AGE', 'kubernetes 10.0.0.0/16 *')],
    ['get ipaddresses 10.0.0.1', matchTable('NAME PARENTREF', '10.0.0.1 services/default/kubernetes')],
  ],
}
