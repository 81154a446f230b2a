import { matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

const formatConfigMap = (name: string, value: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}data:\n  key: ${value}\n`

const formatPod = (image: string, spec: object = {}): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image }], ...spec } })

export const apply: Topic = {
  'applies a change after a diff': [
    ['diff -f -', { code: 1, stdout: [/^\+kind: ConfigMap$/m, /^\+ {2}name: a$/m] }, formatConfigMap('a', 'one')],
    ['apply -f -', 'configmap/a created', formatConfigMap('a', 'one')],
    ['apply -f -', 'configmap/a unchanged', formatConfigMap('a', 'one')],
    ['diff -f -', { code: 1, stdout: [/^-  key: one$/m, /^\+  key: two$/m] }, formatConfigMap('a', 'two')],
    ['apply -f - --dry-run=server', 'configmap/a configured (server dry run)', formatConfigMap('a', 'two')],
    ['apply -f - --dry-run=client', 'configmap/a configured (dry run)', formatConfigMap('a', 'two')],
    ['get cm a -o jsonpath={.data.key}', 'one'],
    ['apply -f -', 'configmap/a configured', formatConfigMap('a', 'two')],
    ['get cm a -o jsonpath={.data.key}', 'two'],
    ['diff -f -', '', formatConfigMap('a', 'two')],
    [
      'diff --server-side --field-manager=other -f -',
      { code: 2, stderr: /Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: \.data\.key/ },
      formatConfigMap('a', 'three'),
    ],
    [
      'diff --server-side --field-manager=other --force-conflicts -f -',
      { code: 1, stdout: [/^\+ {2}key: three$/m] },
      formatConfigMap('a', 'three'),
    ],
  ],
  'existing objects, and last-applied commands': async (session) => {
    await session.write('editor.sh', '#!/bin/sh\nsed -i s/key:/other:/ "$1"\n', 0o755)
    await session.play(
      ['create configmap a --from-literal=mine=1', 'configmap/a created'],
      ['apply view-last-applied cm/a', ''],
      [
        'apply -f -',
        {
          stdout: 'configmap/a configured',
          stderr: /^Warning: resource configmaps\/a is missing the kubectl\.kubernetes\.io\/last-applied-configuration annotation/,
        },
        formatConfigMap('a', 'one'),
      ],
      ['get cm a -o jsonpath={.data}', '{"key":"one","mine":"1"}'],
      [
        'apply view-last-applied cm/a',
        'apiVersion: v1\ndata:\n  key: one\nkind: ConfigMap\nmetadata:\n  annotations: {}\n  name: a\n  namespace: ' + session.namespace,
      ],
      ['apply set-last-applied -f -', 'configmap/a configured', formatConfigMap('a', 'set')],
      ['apply edit-last-applied cm/a', 'configmap/a edited'],
      ['apply view-last-applied cm/a -o json', /"data": \{\n +"other": "set"\n +\}/],
    )
  },
  'rejects invalid objects': [
    [
      'apply -f -',
      {
        code: 1,
        stderr:
          'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus"',
      },
      `${formatConfigMap('a', 'x')}bogus: 1\n`,
    ],
    [
      'apply -f - --validate=warn',
      { stdout: 'configmap/a created', stderr: 'Warning: unknown field "bogus"' },
      `${formatConfigMap('a', 'x')}bogus: 1\n`,
    ],
    [
      'apply -f -',
      {
        code: 1,
        stderr:
          /^The request is invalid: patch: Invalid value: "map\[bogus:2 data:map\[key:z\] metadata:map\[.*\]\]": strict decoding error: unknown field "bogus"\n$/,
      },
      `${formatConfigMap('a', 'z')}bogus: 2\n`,
    ],
    ['apply -f - --validate=false', 'configmap/a configured', `${formatConfigMap('a', 'z')}bogus: 2\n`],
    [
      'apply -f -',
      {
        code: 1,
        stderr:
          'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
      },
      formatConfigMap('b', '1'),
    ],
    [
      'apply -f -',
      { code: 1, stderr: 'The Pod "p" is invalid: spec.containers: Required value' },
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: []}\n',
    ],
    [
      'apply -f - -n elsewhere',
      { code: 1, stderr: 'Error from server (NotFound): error when creating "STDIN": namespaces "elsewhere" not found' },
      formatConfigMap('a', 'x'),
    ],
  ],
  'prunes objects that are no longer applied': async (session) => {
    const labels = '  labels: {set: pruned}\n'
    await session.write('set/a.yaml', formatConfigMap('a', 'x', labels))
    await session.write('set/b.yaml', formatConfigMap('b', 'x', labels))
    const only = '--prune --prune-allowlist=core/v1/ConfigMap -l set=pruned'
    await session.play([`apply -f set ${only}`, 'configmap/a created\nconfigmap/b created'])
    await session.play(
      [`apply -f set/a.yaml ${only} --dry-run=server`, 'configmap/a unchanged (server dry run)\nconfigmap/b pruned (server dry run)'],
      [`apply -f set/a.yaml ${only}`, 'configmap/a unchanged\nconfigmap/b pruned'],
      ['get cm -l set=pruned -o name', 'configmap/a'],
      [
        `apply -f set/a.yaml --prune -l set=pruned`,
        {
          stdout: /^configmap\/a unchanged\n/,
          stderr: /Warning: v1 Endpoints is deprecated in v1\.33\+; use discovery\.k8s\.io\/v1 EndpointSlice\n$/,
        },
      ],
    )
  },
  'prunes by apply sets': async (session) => {
    await session.write('a.yaml', formatConfigMap('a', 'x'))
    await session.write('b.yaml', formatConfigMap('b', 'x'))
    const apply = async (files: string): Promise<string> => {
      const words = ['apply', '-n', session.namespace, '--prune', '--applyset=configmaps/set', ...files.split(' ')]
      return (await session.kubectl.run(words, { environment: { KUBECTL_APPLYSET: 'true' } })).trim()
    }
    const printed = [await apply('-f a.yaml -f b.yaml'), await apply('-f a.yaml')]
    if (printed.join('|') !== 'configmap/a created\nconfigmap/b created|configmap/a unchanged\nconfigmap/b pruned')
      throw new Error(`apply --applyset printed ${printed.join('|')}`)
    await session.play(['get cm set -o jsonpath={.metadata.annotations}', /"applyset\.kubernetes\.io\/contains-group-kinds":"ConfigMap"/])
  },
  'with kustomize': async (session) => {
    await session.write('k/cm.yaml', formatConfigMap('a', 'v'))
    await session.write(
      'k/kustomization.yaml',
      'namePrefix: k-\nresources: [cm.yaml]\nconfigMapGenerator:\n- name: made\n  literals: [x=1]\n',
    )
    await session.play(
      ['kustomize k', [/name: k-a\n/, /name: k-made-[a-z0-9]{10}\n/]],
      ['diff -k k', { code: 1, stdout: /^\+ {2}name: k-a$/m }],
      ['apply -k k', /^configmap\/k-a created\nconfigmap\/k-made-[a-z0-9]{10} created\n$/],
      ['get -k k', [/^k-a +1 /m, /^k-made-\S+ +1 /m]],
      ['delete -k k', [/^configmap "k-a" deleted/m, /^configmap "k-made-\S+" deleted/m]],
      ['get cm -o name', 'configmap/kube-root-ca.crt'],
    )
  },
  pods: [
    ['apply -f -', 'pod/p created', formatPod('nginx:1')],
    ['apply -f -', 'pod/p configured', formatPod('nginx:2')],
    ['get pod p -o jsonpath={.spec.containers[0].image}', 'nginx:2'],
    [
      'apply -f -',
      {
        code: 1,
        stderr: /^The Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/,
      },
      formatPod('nginx:2', { hostNetwork: true }),
    ],
  ],
  'several documents, a directory, and a change by another client': async (session) => {
    await session.write('all/a.yaml', `${formatConfigMap('a', '"1"')}---\n${formatConfigMap('b', '"2"')}`)
    await session.write('all/c.json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }))
    await session.play(
      ['apply -f all', 'configmap/a created\nconfigmap/b created\nconfigmap/c created'],
      ['patch cm a --type=merge -p {"data":{"key":"changed","more":"1"}}', 'configmap/a patched'],
      ['apply -f all', 'configmap/a configured\nconfigmap/b unchanged\nconfigmap/c unchanged'],
      ['get -f all', matchTable('NAME DATA AGE', 'a 2 *', 'b 1 *', 'c 0 *')],
      ['delete -f all', [/"a" deleted/, /"b" deleted/, /"c" deleted/]],
    )
  },
}
