import type { OtherVersions, RESTStorage } from '@keelson/registry'
import { expect, it } from 'vitest'
import { EquivalentResources } from './equivalent-resources.ts'

function createServed(group: string, version: string, storage: RESTStorage, subresource = ''): Parameters<EquivalentResources['add']>[0] {
  return { resource: { group, version, resource: 'things' }, subresource, kind: { group, version, kind: 'Thing' }, storage }
}

it('lists the other versions and groups of a storage', () => {
  const equivalents = new EquivalentResources()
  const storage = {} as RESTStorage
  const first = equivalents.add(createServed('', 'v1', storage), undefined)
  const alone = first()
  expect([alone, first()]).toEqual([[], []])
  const second = equivalents.add(createServed('things.io', 'v1', storage), undefined)
  equivalents.add(createServed('', 'v1', {} as RESTStorage), undefined)
  expect(first()).toEqual([
    { resource: { group: 'things.io', version: 'v1', resource: 'things' }, kind: { group: 'things.io', version: 'v1', kind: 'Thing' } },
  ])
  expect(second().map(({ resource }) => resource.group)).toEqual([''])
  expect(first()).toBe(first())
  expect(first()).not.toBe(alone)
})

it('does not list a version twice that is installed again', () => {
  const equivalents = new EquivalentResources()
  const storage = {} as RESTStorage
  const first = equivalents.add(createServed('', 'v1', storage), undefined)
  equivalents.add(createServed('', 'v2', storage), undefined)
  equivalents.add(createServed('', 'v2', storage), undefined)
  expect(first()).toHaveLength(1)
})

it('lists the other versions of a custom resource', () => {
  const equivalents = new EquivalentResources()
  const custom: OtherVersions = {
    findSchema: () => undefined,
    hasSubresource: () => false,
    listSubresourceVersions: (subresource) => (subresource === '' ? ['v1', 'v2', 'v3'] : ['v2', 'v3']),
    convert: (object) => object,
  }
  const addVersions = (subresource: string): string[] =>
    equivalents
      .add(createServed('things.io', 'v2', {} as RESTStorage, subresource), custom)()
      .map(({ kind }) => kind.version)
  expect(addVersions('')).toEqual(['v1', 'v3'])
  expect(addVersions('status')).toEqual(['v3'])
})
