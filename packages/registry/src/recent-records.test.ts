import { expect, it } from 'vitest'
import { RecentRecords } from './codecs.ts'

const maker = {}
const bytes = (text: string): Uint8Array => Buffer.from(text)

it('finds a record by key, value and codec', () => {
  const recent = new RecentRecords()
  const record = bytes('record')
  recent.set(maker, '/a', bytes('value'), record)
  expect(recent.get(maker, '/a', bytes('value'))).toBe(record)
  expect(recent.get(maker, '/a', bytes('other'))).toBeUndefined()
  expect(recent.get(maker, '/b', bytes('value'))).toBeUndefined()
  expect(recent.get({}, '/a', bytes('value'))).toBeUndefined()
})

it('keeps the newest record of a key, and the newest records up to its limit', () => {
  const recent = new RecentRecords(30)
  const set = (key: string, value: string): void => recent.set(maker, key, bytes(value), bytes(value))
  const known = (key: string, value: string): boolean => recent.get(maker, key, bytes(value)) !== undefined
  set('/a', '1')
  set('/a', '22222')
  expect([known('/a', '1'), known('/a', '22222')]).toEqual([false, true])
  set('/b', '33333')
  set('/c', '44444')
  expect([known('/a', '22222'), known('/b', '33333'), known('/c', '44444')]).toEqual([true, true, true])
  set('/b', '55555')
  set('/d', '66666')
  expect([known('/a', '22222'), known('/b', '55555'), known('/c', '44444'), known('/d', '66666')]).toEqual([false, true, true, true])
  set('/e', '7'.repeat(31))
  expect([known('/d', '66666'), known('/e', '7'.repeat(31))]).toEqual([false, false])
})
