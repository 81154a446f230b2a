import type { Pod, Toleration } from '@keelson/api/core/v1'
import { expect, it } from 'vitest'
import { admitObject, write } from '../plugin.fixture.ts'
import { defaultTolerationSeconds } from './index.ts'

const admit = async (tolerations?: Toleration[], options = {}): Promise<Toleration[] | undefined> => {
  const pod = { metadata: { name: 'p' }, spec: { containers: [], ...(tolerations && { tolerations }) } }
  return (await admitObject<Pod>(defaultTolerationSeconds(options), write('pods', pod))).spec!.tolerations
}
const exists = { operator: 'Exists', effect: 'NoExecute' }
const notReady = { key: 'node.kubernetes.io/not-ready', ...exists, tolerationSeconds: 300 }
const unreachable = { key: 'node.kubernetes.io/unreachable', ...exists, tolerationSeconds: 300 }

it('adds missing tolerations', async () => {
  expect(await admit()).toEqual([notReady, unreachable])
  const ownToleration = { ...notReady, tolerationSeconds: 5 }
  expect(await admit([ownToleration])).toEqual([ownToleration, unreachable])
  const noSchedule = { ...unreachable, effect: 'NoSchedule' }
  expect(await admit([noSchedule])).toEqual([noSchedule, notReady, unreachable])
  const tolerateEverything = { operator: 'Exists' }
  expect(await admit([tolerateEverything])).toEqual([tolerateEverything])
})

it('adds tolerations with configured seconds', async () => {
  expect(await admit([], { notReadySeconds: 1, unreachableSeconds: 2 })).toEqual([
    { ...notReady, tolerationSeconds: 1 },
    { ...unreachable, tolerationSeconds: 2 },
  ])
})
