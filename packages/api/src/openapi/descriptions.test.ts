import { expect, it, vi } from 'vitest'
import { coreV1 } from '../generated/core/v1/index.ts'
import { metaV1 } from '../generated/meta/v1/index.ts'
import { createStructSchema } from '@keelson/apimachinery'
import { describeStruct, loadDescriptions } from './descriptions.ts'

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

it('finds the descriptions of a type and its fields in every version', async () => {
  const descriptions = await loadDescriptions()
  expect(descriptions.find(objectMeta)?.fields.get('uid')).toContain('UUID')
  expect(descriptions.find(objectMeta.replace('v1', 'v2beta1'))).toBe(descriptions.find(objectMeta))
  expect(descriptions.find('io.k8s.apimachinery.pkg.api.resource.Quantity')?.text).toContain('suffix')
  for (const unknown of ['ObjectMeta', 'com.example.v1.ObjectMeta', `${objectMeta}.constructor`, ''])
    expect(descriptions.find(unknown)).toBeUndefined()
})

it('describes the fields that all objects have, and those that all lists have', async () => {
  const descriptions = await loadDescriptions()
  const pod = describeStruct(coreV1.table.resolve('Pod'), descriptions)
  expect([pod.fields.get('kind'), pod.fields.get('metadata')]).toEqual([
    expect.stringContaining('CamelCase'),
    expect.stringContaining('labels'),
  ])
  const list = describeStruct(coreV1.table.resolve('PodList'), descriptions)
  expect(list.text).toMatch(/list request/)
  expect(list.fields.get('metadata')).toContain('token')
  expect(list.fields.get('kind')).toBe(pod.fields.get('kind'))
  const options = describeStruct(metaV1.table.resolve('DeleteOptions'), descriptions)
  expect(options.text).toMatch(/deletion/)
  const plain = createStructSchema({ name: 'Size', definition: 'com.example.v1.Size', fields: [] })
  expect(describeStruct(plain, descriptions).fields.size).toBe(0)
})

it('drops the texts a few seconds after they were loaded', async () => {
  vi.resetModules()
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const { loadDescriptions: load } = await import('./descriptions.ts')
    const first = load()
    expect(load()).toBe(first)
    const { hash } = await first
    vi.advanceTimersByTime(9_000)
    expect(load()).toBe(first)
    vi.advanceTimersByTime(2_000)
    const second = load()
    expect(second).not.toBe(first)
    expect((await second).hash).toBe(hash)
  } finally {
    vi.useRealTimers()
  }
})
