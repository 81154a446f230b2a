import type { Ingress } from '@keelson/api/networking/v1'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { admitObject, openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { defaultIngressClass } from './index.ts'

let cluster: TestCluster
beforeEach(() => {
  cluster = openTestCluster(['ingresses', 'ingressclasses'])
})
afterEach(() => {
  vi.useRealTimers()
  return cluster[Symbol.asyncDispose]()
})

const createIngressClass = (name: string, isDefault: string, time = '2026-01-01T00:00:00Z'): Promise<void> => {
  vi.useFakeTimers({ now: Date.parse(time), toFake: ['Date'] })
  return cluster.create('ingressclasses', {
    metadata: { name, annotations: { 'ingressclass.kubernetes.io/is-default-class': isDefault } },
  })
}
const admit = async (ingress: Partial<Ingress> = {}): Promise<string | undefined> => {
  const created: Ingress = { metadata: { name: 'i' }, spec: {}, ...ingress }
  return (await admitObject<Ingress>(defaultIngressClass(cluster), write('ingresses', created))).spec!.ingressClassName
}

it('sets the newest default class on ingresses without a class', async () => {
  await createIngressClass('plain', 'false')
  expect(await admit()).toBeUndefined()
  await createIngressClass('old', 'true', '2026-01-01T00:00:00Z')
  await createIngressClass('b', 'true', '2026-01-02T00:00:00Z')
  await createIngressClass('a', 'true', '2026-01-02T00:00:00Z')
  await vi.waitFor(async () => expect(await admit()).toBe('a'), { timeout: 60_000 })
})

it('leaves ingresses with a class or the older annotation alone', async () => {
  await createIngressClass('a', 'true')
  expect(await admit({ spec: { ingressClassName: 'own' } })).toBe('own')
  expect(await admit({ metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': '' } } })).toBeUndefined()
  expect(await admit()).toBe('a')
})
