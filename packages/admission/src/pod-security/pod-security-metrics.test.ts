import type { Pod } from '@keelson/api/core/v1'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, it } from 'vitest'
import { admitObject, openTestCluster, write } from '../plugin.fixture.ts'
import { createPodSecurityPlugin } from './index.ts'

const prefix = 'pod-security.kubernetes.io/'

async function readCounts(labels: Record<string, string>, configuration?: object): Promise<readonly string[]> {
  const metrics = createMetricsRegistry()
  await using cluster = openTestCluster(['namespaces', 'pods'])
  const entries = Object.entries(labels).map(([key, value]) => [prefix + key, value])
  await cluster.create('namespaces', { metadata: { name: 'ns', labels: Object.fromEntries(entries) } })
  const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], hostNetwork: true } }
  await admitObject(createPodSecurityPlugin({ ...cluster, metrics }, configuration), write('pods', pod)).catch(() => {})
  return metrics
    .text()
    .split('\n')
    .filter((line) => /^pod_security.* [1-9]/.test(line))
}
const formatEvaluation = (decision: string, mode: string, level: string, version: string): string =>
  `pod_security_evaluations_total{decision="${decision}",mode="${mode}",policy_level="${level}",policy_version="${version}",request_operation="create",resource="pod",subresource=""} 1`

it.each<[string, Record<string, string>, readonly string[]]>([
  ['no labels are set', {}, [formatEvaluation('allow', 'enforce', 'privileged', 'latest')]],
  ['it is refused', { enforce: 'baseline', 'enforce-version': 'v1.30' }, [formatEvaluation('deny', 'enforce', 'baseline', 'v1.30')]],
  [
    'modes differ and a version is unknown',
    { audit: 'baseline', 'audit-version': 'v1.999', warn: 'restricted' },
    [
      formatEvaluation('allow', 'enforce', 'privileged', 'latest'),
      formatEvaluation('deny', 'audit', 'baseline', 'future'),
      formatEvaluation('deny', 'warn', 'restricted', 'latest'),
    ],
  ],
])('counts evaluations when %s', async (_, labels, counts) => {
  expect(await readCounts(labels)).toEqual(counts)
})

it('counts exemptions', async () => {
  const configuration = {
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    exemptions: { namespaces: ['ns'] },
  }
  expect(await readCounts({ enforce: 'baseline' }, configuration)).toEqual([
    'pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 1',
  ])
})
