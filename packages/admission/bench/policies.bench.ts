import type { Pod } from '@keelson/api/core/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { openTestCluster, write } from '../src/plugin.fixture.ts'
import { createValidatingAdmissionPolicyPlugin } from '../src/policy/validating/index.ts'

/**
 * Measures the time in microseconds that policies add to the creation of a 3 KB pod: 50 matching policies of 5 expressions, and 1,000
 * policies that do not match. Reports the minimum of several rounds. Run it with `node packages/admission/bench/policies.bench.ts`.
 */
const env = Array.from({ length: 10 }, (_, i) => ({ name: `SETTING_${i}`, value: 'a value that is neither long nor short' }))
const resources = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '256Mi' } }
const containers = ['main', 'sidecar', 'logs'].map((name) => ({ name, image: `registry.example/${name}:1`, env, resources }))
const text = JSON.stringify({ metadata: { name: 'p', labels: { app: 'a', team: 'b' } }, spec: { containers } })
console.log(`pod: ${text.length} bytes`)

const expressions = [
  "object.metadata.name.startsWith('p')",
  "has(object.metadata.labels) && 'team' in object.metadata.labels && object.metadata.labels.team != ''",
  'object.spec.containers.all(c, has(c.resources) && has(c.resources.limits) && "memory" in c.resources.limits)',
  "object.spec.containers.all(c, c.image.startsWith('registry.example/'))",
  "!has(object.spec.hostNetwork) || !object.spec.hostNetwork || request.userInfo.username == 'admin'",
]
const rule = { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }

await measure('50 policies of 5 expressions that match', 50, { resourceRules: [rule] })
await measure('1,000 policies for another resource', 1000, { resourceRules: [{ ...rule, resources: ['services'] }] })
await measure('1,000 policies for other namespaces', 1000, { resourceRules: [rule], namespaceSelector: { matchLabels: { team: 'x' } } })
await measure('1,000 policies for other labels', 1000, { resourceRules: [rule], objectSelector: { matchLabels: { app: 'x' } } })

async function measure(subject: string, count: number, matchConstraints: object): Promise<void> {
  await using cluster = openTestCluster()
  await cluster.create('namespaces', { metadata: { name: 'ns', labels: { team: 'b' } } })
  for (let i = 0; i < count; i++) {
    const name = `policy-${i}`
    const validations = expressions.map((expression) => ({ expression }))
    const spec = { failurePolicy: 'Fail', matchConstraints: { matchPolicy: 'Equivalent', ...matchConstraints }, validations }
    await cluster.create('validatingadmissionpolicies', { metadata: { name }, spec } as KubeObject)
    await cluster.create('validatingadmissionpolicybindings', {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    } as KubeObject)
  }
  await using plugin = createValidatingAdmissionPolicyPlugin({ ...cluster, metrics: createMetricsRegistry() })
  // The equivalent resources of a path are one list, by which its policies are found.
  const equivalents: never[] = []
  await plugin.validate!(write('pods', JSON.parse(text) as Pod, { equivalents }))
  const rounds: number[] = []
  for (let round = 0; round < 400; round++) {
    const writes = Array.from({ length: 20 }, () => write('pods', JSON.parse(text) as Pod, { equivalents }))
    const start = performance.now()
    for (const attributes of writes) {
      const validating = plugin.validate!(attributes)
      if (validating !== undefined) await validating
    }
    rounds.push(((performance.now() - start) * 1000) / writes.length)
  }
  console.log(`${subject}: ${Math.min(...rounds).toFixed(2)} µs`)
}
