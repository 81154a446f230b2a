import { expect, test } from 'vitest'
import { formatHelp, parseBenchOptions } from './bench-options.ts'
import type { BenchOptions } from './bench-options.ts'
import { allItems } from './items/all-items.ts'

function parse(...args: readonly string[]): BenchOptions {
  const options = parseBenchOptions(args, allItems)
  if (options === 'help') throw new Error('unexpected --help')
  return options
}
const listItemNames = (...args: readonly string[]): readonly string[] => parse(...args).items.map(({ name }) => name)

test('selects items by name, group and the flag --full', () => {
  expect(listItemNames()).toEqual(allItems.filter(({ only }) => only === undefined).map(({ name }) => name))
  expect(listItemNames('--full')).toEqual(allItems.map(({ name }) => name))
  expect(listItemNames('http/get', 'storage/walk')).toEqual(['http/get', 'storage/walk'])
  expect(listItemNames('--items', 'mixed,http/get')).toEqual(['http/get', 'mixed/controllers'])
  expect(listItemNames('registry')).toContain('registry/create')
  expect(listItemNames('growth').length).toBeGreaterThan(2)
  expect(listItemNames('growth')).not.toContain('growth/GET-8k-full')
  expect(listItemNames('growth/GET-8k-full')).toEqual(['growth/GET-8k-full'])
  expect(listItemNames('--base', 'HEAD~1', 'http/get', 'storage')).toEqual(['http/get'])
  expect(() => parse('http/fly')).toThrow('unknown item: http/fly')
  expect(() => parse('htt')).toThrow('unknown item: htt')
})

test('parses flags, and rejects invalid ones', () => {
  expect(parse()).toMatchObject({
    seconds: 0.5,
    rounds: { withBar: 5, without: 3 },
    minutes: undefined,
    resume: false,
    other: undefined,
    base: undefined,
  })
  expect(parse('--base', 'HEAD')).toMatchObject({ rounds: { withBar: 15, without: 15 } })
  expect(parse('--base', 'HEAD', '--rounds', '4')).toMatchObject({ rounds: { withBar: 4, without: 4 } })
  expect(parse('--full')).toMatchObject({ minutes: 8 })
  expect(parse('--resume')).toMatchObject({ minutes: 8, resume: true })
  expect(parse('--resume', '--minutes', '3')).toMatchObject({ minutes: 3 })
  expect(parse('--server', 'https://x:1/', '--token', 't', '--name', 'reference')).toMatchObject({
    other: { name: 'reference', url: 'https://x:1', token: 't', pid: undefined },
  })
  expect(parseBenchOptions(['--help'], allItems)).toBe('help')
  expect(formatHelp(allItems)).toContain('deletecollection')
  expect(() => parse('--duration', '0')).toThrow('--duration must be a positive number')
  expect(() => parse('--base', 'x', '--server', 'https://y')).toThrow('cannot be combined')
})

test('item names are unique', () => {
  expect(new Set(allItems.map(({ name }) => name)).size).toBe(allItems.length)
})
