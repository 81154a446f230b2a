import type { Topic } from '../topic.ts'

const formatConfigMap = (name: string, data: Readonly<Record<string, string>>): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })

const formatManagersCommand = (name: string): string =>
  `get cm ${name} --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}`

export const serverSideApply: Topic = {
  'creates, changes, removes, and reports no-ops': async (session) => {
    await session.play(
      ['apply --server-side -f -', 'configmap/a serverside-applied', formatConfigMap('a', { one: '1', two: '2' })],
      ['apply --server-side -f -', 'configmap/a serverside-applied', formatConfigMap('a', { one: '3' })],
      ['get cm a -o jsonpath={.data}', '{"one":"3"}'],
      [formatManagersCommand('a'), 'kubectl'],
    )
    const version = 'get cm a -o jsonpath={.metadata.resourceVersion}'
    const before = await session.run(version)
    await session.play(
      ['apply --server-side -f -', 'configmap/a serverside-applied', formatConfigMap('a', { one: '3' })],
      ['apply --server-side --dry-run=server -f -', 'configmap/a serverside-applied (server dry run)', formatConfigMap('a', { one: '4' })],
      ['diff --server-side -f -', { code: 1, stdout: [/^-  one: "3"$/m, /^\+  one: "4"$/m] }, formatConfigMap('a', { one: '4' })],
      [version, before],
    )
  },
  'stops at conflicts, and forces them': [
    ['apply --server-side --field-manager=one -f -', 'configmap/b serverside-applied', formatConfigMap('b', { key: '1' })],
    [
      'apply --server-side --field-manager=two -f -',
      { code: 1, stderr: [/^error: Apply failed with 1 conflict: conflict with "one": \.data\.key\n/, '--force-conflicts'] },
      formatConfigMap('b', { key: '2' }),
    ],
    ['get cm b -o jsonpath={.data.key}', '1'],
    [
      'apply --server-side --field-manager=two --force-conflicts -f -',
      'configmap/b serverside-applied',
      formatConfigMap('b', { key: '2' }),
    ],
    ['get cm b -o jsonpath={.data.key}', '2'],
    [formatManagersCommand('b'), 'two'],
    ['apply --server-side --field-manager=three -f -', 'configmap/b serverside-applied', formatConfigMap('b', { key: '2' })],
    [formatManagersCommand('b'), 'three two'],
  ],
  'takes over from client-side apply': [
    ['apply -f -', 'configmap/c created', formatConfigMap('c', { key: '1', other: '1' })],
    [formatManagersCommand('c'), 'kubectl-client-side-apply'],
    ['apply --server-side -f -', 'configmap/c serverside-applied', formatConfigMap('c', { key: '2' })],
    ['get cm c -o jsonpath={.data}', '{"key":"2"}'],
    // kubectl keeps the annotation up to date in case the user returns to client-side apply.
    [formatManagersCommand('c'), 'kubectl-last-applied kubectl'],
    ['get cm c -o jsonpath={.metadata.annotations}', /"\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{\\"key\\":\\"2\\"\}/],
  ],
  'other kinds and their lists': async (session) => {
    const formatPorts = (...numbers: readonly number[]): string =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { ports: numbers.map((port) => ({ name: `p${port}`, port })) },
      })
    await session.play(
      ['apply --server-side --field-manager=one -f -', 'service/s serverside-applied', formatPorts(80)],
      ['apply --server-side --field-manager=two -f -', 'service/s serverside-applied', formatPorts(90)],
      ['get svc s -o jsonpath={.spec.ports[*].port}', '80 90'],
      ['apply --server-side --field-manager=one -f -', 'service/s serverside-applied', formatPorts(70)],
      ['get svc s -o jsonpath={.spec.ports[*].name}', 'p90 p70'],
    )
  },
  'a subresource': [
    ['create deployment d --image=x', 'deployment.apps/d created'],
    [
      'apply --server-side --subresource=status --field-manager=controller -f -',
      'deployment.apps/d serverside-applied',
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        status: { replicas: 2, observedGeneration: 1 },
      }),
    ],
    ['get deployment d -o jsonpath={.status.replicas}', '2'],
    ['get deployment d --show-managed-fields -o jsonpath={.metadata.managedFields[?(@.subresource=="status")].manager}', 'controller'],
  ],
}
