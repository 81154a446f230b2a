import { expect, it } from 'vitest'
import { answersProgressRightly } from './etcd-version.ts'
import * as driver from './index.ts'
import { foreignLease, toEntry, toInteger, toKey } from './wire-values.ts'

it('integers are exact or refused', () => {
  expect(toInteger('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  for (const text of ['9007199254740993', '-9223372036854775808', 'x', '1.5']) expect(() => toInteger(text)).toThrow(/safe range/)
})

it('a lease that cannot be said is still a lease', () => {
  const kv = { key: Buffer.from('ключ'), value: Buffer.from([0, 255]), create_revision: '1', mod_revision: '2', version: '1' }
  expect(toEntry({ ...kv, lease: '7587822882194139412' })).toEqual({
    key: 'ключ',
    value: Buffer.from([0, 255]),
    createRevision: 1,
    modRevision: 2,
    lease: foreignLease,
  })
  expect(toEntry({ ...kv, lease: '12' }).lease).toBe(12)
})

it('a value does not hold on to the answer it came in', () => {
  const answer = Buffer.alloc(1_000_000)
  const kv = {
    key: answer.subarray(0, 3),
    value: answer.subarray(10, 20),
    create_revision: '1',
    mod_revision: '1',
    version: '1',
    lease: '0',
  }
  expect(toEntry(kv).value.buffer).not.toBe(answer.buffer)
})

it('the empty key is the smallest that etcd can have', () => expect(toKey('')).toEqual(Buffer.from([0])))

it.each([
  ['3.4.23', false],
  ['3.4.31', true],
  ['3.5.12', false],
  ['3.5.13', true],
  ['3.5.16-rc.0', true],
  ['3.6.0', true],
  ['4.0.0', true],
])('progress requests of etcd %s: %s', (version, right) => expect(answersProgressRightly(version)).toBe(right))

it('what the package exports', () => {
  expect(Object.keys(driver).sort()).toEqual(['compactionRecord', 'foreignLease', 'openEtcd3'])
})
