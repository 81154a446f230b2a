import { expect, test } from 'vitest'
import { itemNames, parseBenchOptions } from './bench-options.ts'
import { cacheItems } from './cache/cache-items.ts'
import { storageItems } from './storage/storage-items.ts'

test('flags', () => {
  expect(parseBenchOptions([])).toMatchObject({ items: itemNames, storageItems: [], objects: 10_000, other: undefined, own: true })
  expect(
    parseBenchOptions(['--items', 'get,list', '--objects', '50', '--server', 'https://x:1/', '--token', 't', '--name', 'original']),
  ).toMatchObject({
    items: ['get', 'list'],
    objects: 50,
    other: { name: 'original', url: 'https://x:1', token: 't', pid: undefined },
  })
  expect(parseBenchOptions(['storage'])).toMatchObject({ items: [], storageItems: storageItems.map(({ name }) => name), rounds: 5 })
  expect(parseBenchOptions(['get', 'storage/walk'])).toMatchObject({ items: ['get'], storageItems: ['walk'], rounds: 3 })
  expect(parseBenchOptions(['cache'])).toMatchObject({ items: [], storageItems: [], cacheItems: cacheItems.map(({ name }) => name) })
  expect(parseBenchOptions(['cache/get'])).toMatchObject({ cacheItems: ['get'], seconds: 3, rounds: 5 })
  expect(() => parseBenchOptions(['storage/fly'])).toThrow('no such item: storage/fly')
  expect(parseBenchOptions(['--help'])).toBe('help')
  expect(() => parseBenchOptions(['--items', 'fly'])).toThrow('no such item: fly')
  expect(() => parseBenchOptions(['--duration', '-1'])).toThrow()
  expect(() => parseBenchOptions(['--only-other'])).toThrow('--only-other needs --server')
})
