import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { Reinvocation } from '@keelson/registry'
import { expect, it } from 'vitest'
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts'
import { createAdmissionMetrics, createAdmissionChain } from './create-admission-chain.ts'

/** Creates the attributes of a create request. `path` is a resource such as "pods", "deployments.apps" or "pods/binding". */
function buildCreateAttributes(path: string): AdmissionAttributes {
  const [name = '', subresource = ''] = path.split('/')
  const [resource = '', group = ''] = name.split('.')
  return {
    operation: 'CREATE',
    resource: { group, version: 'v1', resource },
    subresource,
    reinvocation: new Reinvocation(),
  } as AdmissionAttributes
}

const plugin = 'apiserver_admission_controller_admission_duration_seconds'
const step = 'apiserver_admission_step_admission_duration_seconds'

async function readCountsAfter(plugins: readonly AdmissionPlugin[], type: 'admit' | 'validate'): Promise<readonly string[]> {
  const registry = createMetricsRegistry()
  const chain = createAdmissionChain(plugins, { metrics: createAdmissionMetrics(registry) })
  try {
    await chain[type](buildCreateAttributes('pods'))
  } catch {}
  return registry
    .text()
    .split('\n')
    .filter((line) => line.includes('_count{'))
}

const formatLabels = (type: string, rejected: boolean, name?: string): string =>
  `{${name === undefined ? '' : `name="${name}",`}operation="CREATE",rejected="${rejected}",type="${type}"}`

it('counts calls of each plugin phase and of whole phases, synchronous or not', async () => {
  const plugins: AdmissionPlugin[] = [
    { name: 'Quick', admit: () => {} },
    { name: 'Slow', admit: async () => {} },
    { name: 'Other', validate: () => {} },
    { name: 'Last', admit: () => {} },
  ]
  const formatCount = (name: string): string => `${plugin}_count${formatLabels('admit', false, name)} 1`
  expect(await readCountsAfter(plugins, 'admit')).toEqual([
    ...['Quick', 'Slow', 'Last'].map(formatCount),
    `${step}_count${formatLabels('admit', false)} 1`,
    `${step}_summary_count${formatLabels('admit', false)} 1`,
  ])
})

it.each([
  [
    'at once',
    () => {
      throw new Error('no')
    },
  ],
  ['later', () => Promise.reject(new Error('no'))],
])('counts a %s refusal once for the plugin and once for the phase', async (_, validate) => {
  const plugins: AdmissionPlugin[] = [
    { name: 'Waits', validate: async () => {} },
    { name: 'Refuses', validate },
    { name: 'Unasked', validate: () => {} },
  ]
  expect(await readCountsAfter(plugins, 'validate')).toEqual([
    `${plugin}_count${formatLabels('validate', false, 'Waits')} 1`,
    `${plugin}_count${formatLabels('validate', true, 'Refuses')} 1`,
    `${step}_count${formatLabels('validate', true)} 1`,
    `${step}_summary_count${formatLabels('validate', true)} 1`,
  ])
})

it('counts plugins that handle the operation but not the resource, as kube-apiserver does', async () => {
  const plugins: AdmissionPlugin[] = [
    { name: 'Pods', resources: ['pods'], validate: () => {} },
    { name: 'Nodes', resources: ['nodes'], validate: () => Promise.reject(new Error('not called')) },
    { name: 'Deletes', operations: ['DELETE'], validate: () => {} },
  ]
  expect(await readCountsAfter(plugins, 'validate')).toEqual([
    `${plugin}_count${formatLabels('validate', false, 'Pods')} 1`,
    `${plugin}_count${formatLabels('validate', false, 'Nodes')} 1`,
    `${step}_count${formatLabels('validate', false)} 1`,
    `${step}_summary_count${formatLabels('validate', false)} 1`,
  ])
})

it('runs all admit phases and then all validate phases until a plugin rejects, and only for the operations of each plugin', async () => {
  const log: string[] = []
  const createRecordingPlugin = (name: string, overrides: Partial<AdmissionPlugin> = {}): AdmissionPlugin => ({
    name,
    admit: () => void log.push(`admit ${name}`),
    validate: () => void log.push(`validate ${name}`),
    ...overrides,
  })
  const refuse = (): never => {
    throw new Error('no')
  }
  const chain = createAdmissionChain([
    createRecordingPlugin('a'),
    createRecordingPlugin('b', { operations: ['CONNECT'] }),
    createRecordingPlugin('c', { validate: refuse }),
    createRecordingPlugin('d'),
  ])
  const attributes = buildCreateAttributes('pods')
  await chain.admit(attributes)
  expect(() => chain.validate(attributes)).toThrow('no')
  expect(log).toEqual(['admit a', 'admit c', 'admit d', 'validate a'])
  expect([chain.handles('CREATE'), chain.handles('CONNECT'), createAdmissionChain([]).handles('CREATE')]).toEqual([true, true, false])
})

it('runs all admit phases a second time if a plugin requests that, and only once', async () => {
  const log: string[] = []
  const chain = createAdmissionChain([
    { name: 'a', admit: ({ reinvocation }) => void log.push(`a ${reinvocation.isSecondRun ? 'again' : 'first'}`) },
    {
      name: 'b',
      async admit({ reinvocation }) {
        await Promise.resolve()
        log.push('b')
        reinvocation.request()
      },
    },
  ])
  await chain.admit(buildCreateAttributes('pods'))
  expect(log).toEqual(['a first', 'b', 'a again', 'b'])
})

it('returns synchronously if no plugin waits, and runs the plugins in order if one waits', async () => {
  const log: string[] = []
  const createQuickPlugin = (name: string): AdmissionPlugin => ({ name, admit: () => void log.push(name) })
  const slow: AdmissionPlugin = {
    name: 'slow',
    async admit() {
      await Promise.resolve()
      log.push('slow')
    },
  }
  const attributes = buildCreateAttributes('pods')
  expect(createAdmissionChain([createQuickPlugin('a'), createQuickPlugin('b')]).admit(attributes)).toBeUndefined()
  const pending = createAdmissionChain([slow, createQuickPlugin('c')]).admit(attributes)
  expect(log).toEqual(['a', 'b'])
  await pending
  expect(log).toEqual(['a', 'b', 'slow', 'c'])
})

it.each([
  ['configmaps', ['all']],
  ['pods', ['all', 'pods']],
  ['pods/binding', ['all', 'binding', 'below pods']],
  ['pods/eviction', ['all', 'below pods']],
  ['pods.metrics.k8s.io', ['all']],
  ['deployments.apps', ['all', 'deployments']],
  ['deployments', ['all']],
  ['deployments.apps/status', ['all']],
])('runs the plugins that handle %s', (path, expected) => {
  const log: string[] = []
  const createRecordingPlugin = (name: string, resources?: readonly string[]): AdmissionPlugin => ({
    name,
    ...(resources && { resources }),
    validate: () => void log.push(name),
  })
  const chain = createAdmissionChain([
    createRecordingPlugin('all'),
    createRecordingPlugin('pods', ['pods']),
    createRecordingPlugin('binding', ['pods/binding']),
    createRecordingPlugin('below pods', ['pods/*']),
    createRecordingPlugin('deployments', ['deployments.apps', 'pods.apps']),
  ])
  void chain.validate(buildCreateAttributes(path))
  expect(log).toEqual(expected)
})
