import type { Pod } from '@keelson/api/core/v1'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { admitObject, openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createPodNodeSelectorPlugin } from './index.ts'

type Labels = Record<string, string>

let cluster: TestCluster
beforeEach(() => {
  cluster = openTestCluster(['namespaces', 'pods'])
})
afterEach(() => cluster[Symbol.asyncDispose]())

const storeNamespace = (selector?: string): Promise<void> =>
  cluster.create('namespaces', {
    metadata: { name: 'ns', ...(selector !== undefined && { annotations: { 'scheduler.alpha.kubernetes.io/node-selector': selector } }) },
  })
const admit = async (nodeSelector?: Labels, selectors?: Labels): Promise<Labels | undefined> => {
  const plugin = createPodNodeSelectorPlugin(cluster, selectors && { podNodeSelectorPluginConfig: selectors })
  const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [], ...(nodeSelector && { nodeSelector }) } }
  return (await admitObject<Pod>(plugin, write('pods', pod))).spec!.nodeSelector
}
const matchRefusal = (reason: string) => ({ code: 403, message: `pods "p" is forbidden: ${reason}` })

it('adds the selector of the namespace', async () => {
  await storeNamespace(' env = test , disk=ssd')
  expect(await admit()).toEqual({ env: 'test', disk: 'ssd' })
  expect(await admit({ zone: 'a', env: 'test' })).toEqual({ env: 'test', disk: 'ssd', zone: 'a' })
})

it('adds the default selector if the namespace has none', async () => {
  await storeNamespace()
  expect(await admit()).toBeUndefined()
  expect(await admit({}, { clusterDefaultNodeSelector: 'env=prod' })).toEqual({ env: 'prod' })
})

it('adds nothing if the selector of the namespace is empty', async () => {
  await storeNamespace('')
  expect(await admit({ a: 'b' }, { clusterDefaultNodeSelector: 'env=prod' })).toEqual({ a: 'b' })
})

it('rejects pods that conflict with their namespace', async () => {
  await storeNamespace('env=test')
  await expect(admit({ env: 'prod' })).rejects.toMatchObject(
    matchRefusal('pod node label selector conflicts with its namespace node label selector'),
  )
})

it('rejects labels that the namespace may not select', async () => {
  await storeNamespace('env=test')
  expect(await admit({}, { ns: 'env=test,zone=a' })).toEqual({ env: 'test' })
  expect(await admit({ zone: 'a' }, { ns: 'env=test,zone=a' })).toEqual({ env: 'test', zone: 'a' })
  const reason = 'pod node label selector labels conflict with its namespace whitelist'
  await expect(admit({ zone: 'b' }, { ns: 'env=test,zone=a' })).rejects.toMatchObject(matchRefusal(reason))
  await expect(admit({ other: 'x' }, { ns: 'env=test' })).rejects.toMatchObject(matchRefusal(reason))
  expect(await admit({ other: 'x' }, { ns: '', 'other-ns': 'a=b' })).toEqual({ env: 'test', other: 'x' })
})

it.each([
  ['env', 'invalid selector: [env]'],
  ['a=b=c', 'invalid selector: [a b c]'],
  ['-a=b', '<nil>: Invalid value: "-a": name part must consist of'],
  ['a=b c', '[a]: Invalid value: "b c": a valid label must be an empty string or consist of'],
])('explains the invalid selector %j', async (selector, message) => {
  await storeNamespace(selector)
  await expect(admit()).rejects.toMatchObject({ code: 500, message: expect.stringContaining(message) })
})

it('fails if the namespace does not exist', async () => {
  await expect(admit()).rejects.toMatchObject({ code: 500, message: 'Internal error occurred: namespace ns does not exist' })
})

it.each([
  [[], 'the configuration must be an object'],
  [{ podNodeSelectorPluginConfig: [] }, 'podNodeSelectorPluginConfig must be an object'],
  [{ podNodeSelectorPluginConfig: { ns: 1 } }, 'podNodeSelectorPluginConfig.ns must be a string'],
])('refuses the configuration %j', (configuration, message) => {
  expect(() => createPodNodeSelectorPlugin(cluster, configuration)).toThrow(new Error(message))
})
