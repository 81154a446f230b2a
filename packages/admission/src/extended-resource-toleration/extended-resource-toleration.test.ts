import type { Container, Pod, Toleration } from '@keelson/api/core/v1'
import { expect, it } from 'vitest'
import { admitted, write } from '../plugin.fixture.ts'
import { extendedResourceToleration } from './index.ts'

const container = (...names: string[]): Container => ({
  name: 'c',
  resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) },
})
const tolerates = (key: string): Toleration => ({ key, operator: 'Exists', effect: 'NoSchedule' })
const admit = async (pod: Pod['spec']): Promise<readonly Toleration[] | undefined> =>
  (await admitted<Pod>(extendedResourceToleration(), write('pods', { metadata: { name: 'p' }, spec: pod } as Pod))).spec!.tolerations

it('tolerates taints of the requested extended resources, sorted by name', async () => {
  const containers = [container('example.com/b', 'cpu', 'kubernetes.io/x'), container('example.com/a')]
  const initContainers = [container('example.com/c', 'example.com/a')]
  expect(await admit({ containers, initContainers })).toEqual(['a', 'b', 'c'].map((name) => tolerates(`example.com/${name}`)))
})

it('keeps other tolerations and adds none twice', async () => {
  const containers = [container('example.com/a')]
  const other = { key: 'example.com/a', operator: 'Equal', value: 'x', effect: 'NoSchedule' }
  expect(await admit({ containers, tolerations: [tolerates('example.com/a'), other] })).toEqual([tolerates('example.com/a'), other])
  expect(await admit({ containers, tolerations: [other] })).toEqual([other, tolerates('example.com/a')])
})

it('does not change pods without extended resources', async () => {
  expect(await admit({ containers: [container('cpu')] })).toBeUndefined()
})
