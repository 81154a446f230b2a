import type { Container, Pod, Toleration } from '@keelson/api/core/v1'
import { expect, it } from 'vitest'
import { admitObject, write } from '../plugin.fixture.ts'
import { createExtendedResourceTolerationPlugin } from './index.ts'

const createContainer = (...names: string[]): Container => ({
  name: 'c',
  resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) },
})
const tolerates = (key: string): Toleration => ({ key, operator: 'Exists', effect: 'NoSchedule' })
const admit = async (pod: Pod['spec']): Promise<readonly Toleration[] | undefined> =>
  (await admitObject<Pod>(createExtendedResourceTolerationPlugin(), write('pods', { metadata: { name: 'p' }, spec: pod } as Pod))).spec!
    .tolerations

it('tolerates taints of the requested extended resources, sorted by name', async () => {
  const containers = [createContainer('example.com/b', 'cpu', 'kubernetes.io/x'), createContainer('example.com/a')]
  const initContainers = [createContainer('example.com/c', 'example.com/a')]
  expect(await admit({ containers, initContainers })).toEqual(['a', 'b', 'c'].map((name) => tolerates(`example.com/${name}`)))
})

it('keeps other tolerations and adds none twice', async () => {
  const containers = [createContainer('example.com/a')]
  const other = { key: 'example.com/a', operator: 'Equal', value: 'x', effect: 'NoSchedule' }
  expect(await admit({ containers, tolerations: [tolerates('example.com/a'), other] })).toEqual([tolerates('example.com/a'), other])
  expect(await admit({ containers, tolerations: [other] })).toEqual([other, tolerates('example.com/a')])
})

it('does not change pods without extended resources', async () => {
  expect(await admit({ containers: [createContainer('cpu')] })).toBeUndefined()
})
