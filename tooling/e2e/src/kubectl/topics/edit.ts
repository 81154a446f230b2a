import type { Topic } from '../topic.ts'

const formatEditor = (script: string): string => `#!/bin/sh\n${script}\n`

export const edit: Topic = {
  'stores the edited object': async (session) => {
    await session.write('editor.sh', formatEditor('sed -i s/before/after/ "$1"'), 0o755)
    await session.play(
      ['create configmap a --from-literal=a=before', 'configmap/a created'],
      ['edit cm a', 'configmap/a edited'],
      ['get cm a -o jsonpath={.data.a}', 'after'],
      ['edit cm a', { stderr: 'Edit cancelled, no changes made.' }],
      ['edit cm nope', { code: 1, stderr: 'Error from server (NotFound): configmaps "nope" not found' }],
      ['create deployment before --image=before', 'deployment.apps/before created'],
      ['edit cm/a -o json --save-config', { stderr: 'Edit cancelled, no changes made.' }],
    )
  },
  'reopens an invalid object with the reason': async (session) => {
    const script = `if grep -q 'was not valid' "$1"; then cp "$1" seen; sed -i 's/Bad Key/good/' "$1"; else sed -i 's/key: v/Bad Key: v/' "$1"; fi`
    await session.write('editor.sh', formatEditor(script), 0o755)
    await session.play(
      ['create configmap a --from-literal=key=v', 'configmap/a created'],
      ['edit cm a', { stdout: 'configmap/a edited', stderr: 'error: configmaps "a" is invalid' }],
      ['get cm a -o jsonpath={.data}', '{"good":"v"}'],
      ['create configmap shown --from-file=seen', 'configmap/shown created'],
      [
        'get cm shown -o jsonpath={.data.seen}',
        /# configmaps "a" was not valid:\n# \* data\[Bad Key\]: Invalid value: "Bad Key": a valid config key must consist of/,
      ],
    )
  },
  'saves an object that stays invalid to a file': async (session) => {
    await session.write(
      'editor.sh',
      formatEditor(`grep -q 'was not valid' "$1" || sed -i 's/^  uid: .*/  uid: "1"/; s/key: v/key: w/' "$1"`),
      0o755,
    )
    await session.play(
      ['create configmap a --from-literal=key=v', 'configmap/a created'],
      ['edit cm a', { code: 1, stderr: /A copy of your changes has been stored to/ }],
      ['get cm a -o jsonpath={.data.key}', 'v'],
    )
  },
  'a subresource': async (session) => {
    await session.write('editor.sh', formatEditor('sed -i "s/^status: {}/status:\\n  replicas: 3/" "$1"'), 0o755)
    await session.play(
      ['create deployment a --image=x', 'deployment.apps/a created'],
      ['edit deployment a --subresource=status', 'deployment.apps/a edited'],
      ['get deployment a -o jsonpath={.status.replicas}/{.spec.replicas}', '3/1'],
    )
  },
  replace: async (session) => {
    const formatConfigMap = (overrides: object): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...overrides })
    await session.play(
      ['create configmap a --from-literal=key=v', 'configmap/a created'],
      ['replace -f -', 'configmap/a replaced', formatConfigMap({ data: { other: '1' } })],
      ['replace -f - --dry-run=server', 'configmap/a replaced (server dry run)', formatConfigMap({})],
      ['get cm a -o jsonpath={.data}', '{"other":"1"}'],
      [
        'replace -f -',
        {
          code: 1,
          stderr:
            'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
        },
        formatConfigMap({ metadata: { name: 'a', resourceVersion: '1' } }),
      ],
      [
        'replace -f -',
        { code: 1, stderr: 'Error from server (NotFound): error when replacing "STDIN": configmaps "nope" not found' },
        formatConfigMap({ metadata: { name: 'nope' } }),
      ],
      ['label cm a kept=no', 'configmap/a labeled'],
      ['replace --force -f -', [/^configmap "a" deleted/, /\nconfigmap\/a replaced\n$/], formatConfigMap({ data: { third: '1' } })],
      [
        'replace --force --grace-period=0 -f -',
        { stdout: /\nconfigmap\/a replaced\n$/, stderr: /^($|Warning: Immediate deletion)/ },
        formatConfigMap({ data: { third: '1' } }),
      ],
      ['get cm a -o jsonpath={.data}/{.metadata.labels}', '{"third":"1"}/'],
    )
  },
}
