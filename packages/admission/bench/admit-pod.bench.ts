import type { Pod } from '@keelson/api/core/v1'
import { createBuiltinPlugins, createAdmissionChain } from '../src/index.ts'
import type { AdmissionPlugin } from '../src/index.ts'
import { openTestCluster, write } from '../src/plugin.fixture.ts'

/**
 * Measures the time in microseconds to admit the creation of a 3 KB pod, by plugin and in total. Reports the minimum of several rounds. Run
 * it with `node packages/admission/bench/admit-pod.bench.ts`.
 */
await using cluster = openTestCluster()
await cluster.create('namespaces', { metadata: { name: 'ns' } })
await cluster.create('serviceaccounts', { metadata: { name: 'default' } })

const env = Array.from({ length: 10 }, (_, i) => ({ name: `SETTING_${i}`, value: 'a value that is neither long nor short' }))
const resources = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '256Mi' } }
const containers = ['main', 'sidecar', 'logs'].map((name) => ({ name, image: `registry.example/${name}:1`, env, resources }))
const text = JSON.stringify({ metadata: { name: 'p', labels: { app: 'a' } }, spec: { containers } })
console.log(`pod: ${text.length} bytes`)

const plugins = await createBuiltinPlugins().create(cluster)
await measure('first, with what there is to read', plugins, 1)
for (const plugin of plugins) await measure(plugin.name, [plugin])
await measure('all', plugins)

async function measure(subject: string, of: readonly AdmissionPlugin[], count = 2000): Promise<void> {
  const chain = createAdmissionChain(of)
  const rounds: number[] = []
  for (let round = 0; round < (count === 1 ? 1 : 15); round++) {
    const writes = Array.from({ length: count }, () => write('pods', JSON.parse(text) as Pod))
    const start = performance.now()
    for (const attributes of writes) {
      // Awaits the result only if it is a promise, as the server does.
      const admitting = chain.admit(attributes)
      if (admitting !== undefined) await admitting
      const validating = chain.validate(attributes)
      if (validating !== undefined) await validating
    }
    rounds.push(((performance.now() - start) * 1000) / count)
  }
  console.log(`${subject}: ${Math.min(...rounds).toFixed(2)} µs`)
}
