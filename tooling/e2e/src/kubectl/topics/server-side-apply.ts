import type { Topic } from '../topic.ts'

const configMap = (name: string, data: Readonly<Record<string, string>>): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })

const managers = (name: string): string => `get cm ${name} --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}`

export const serverSideApply: Topic = {
  'creates, changes, removes, and reports no-ops': async (session) => {
    await session.play(
      ['apply --server-side -f -', 'configmap/a serverside-applied', configMap('a', { one: '1', two: '2' })],
      ['apply --server-side -f -', 'configmap/a serverside-applied', configMap('a', { one: '3' })],
      ['get cm a -o jsonpath={.data}', '{"one":"3"}'],
      [managers('a'), 'kubectl'],
    )
    const version = 'get cm a -o jsonpath={.metadata.resourceVersion}'
    const before = await session.run(version)
    await session.play(
      ['apply --server-side -f -', 'configmap/a serverside-applied', configMap('a', { one: '3' })],
      ['apply --server-side --dry-run=server -f -', 'configmap/a serverside-applied (server dry run)', configMap('a', { one: '4' })],
      ['diff --server-side -f -', { code: 1, stdout: [/^-  one: "3"$/m, /^\+  one: "4"$/m] }, configMap('a', { one: '4' })],
      [version, before],
    )
  },
  'stops at conflicts, and forces them': [
    ['apply --server-side --field-manager=one -f -', 'configmap/b serverside-applied', configMap('b', { key: '1' })],
    [
      'apply --server-side --field-manager=two -f -',
      { code: 1, stderr: [/^error: Apply failed with 1 conflict: conflict with "one": \.data\.key\n/, '--force-conflicts'] },
      configMap('b', { key: '2' }),
    ],
    ['get cm b -o jsonpath={.data.key}', '1'],
    ['apply --server-side --field-manager=two --force-conflicts -f -', 'configmap/b serverside-applied', configMap('b', { key: '2' })],
    ['get cm b -o jsonpath={.data.key}', '2'],
    [managers('b'), 'two'],
    ['apply --server-side --field-manager=three -f -', 'configmap/b serverside-applied', configMap('b', { key: '2' })],
    [managers('b'), 'three two'],
  ],
  'takes over from client-side apply': [
    ['apply -f -', 'configmap/c created', configMap('c', { key: '1', other: '1' })],
    [managers('c'), 'kubectl-client-side-apply'],
    ['apply --server-side -f -', 'configmap/c serverside-applied', configMap('c', { key: '2' })],
    ['get cm c -o jsonpath={.data}', '{"key":"2"}'],
    // kubectl keeps the annotation up to date in case the user returns to client-side apply.
    [managers('c'), 'kubectl-last-applied kubectl'],
    ['get cm c -o jsonpath={.metadata.annotations}', /"\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{\\"key\\":\\"2\\"\}/],
  ],
  'other kinds and their lists': async (session) => {
    const ports = (...numbers: readonly number[]): string =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { ports: numbers.map((port) => ({ name: `p${port}`, port })) },
      })
    await session.play(
      ['apply --server-side --field-manager=one -f -', 'service/s serverside-applied', ports(80)],
      ['apply --server-side --field-manager=two -f -', 'service/s serverside-applied', ports(90)],
      ['get svc s -o jsonpath={.spec.ports[*].port}', '80 90'],
      ['apply --server-side --field-manager=one -f -', 'service/s serverside-applied', ports(70)],
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
