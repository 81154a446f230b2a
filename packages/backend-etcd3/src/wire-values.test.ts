import { expect, it } from 'vitest'
import { hasReliableProgress } from './open-etcd3.ts'
import * as driver from './index.ts'
import { foreignLease, parseInteger, toKey, toLeaseId } from './wire-values.ts'

it('parses integers exactly or rejects them', () => {
  expect(parseInteger('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  for (const text of ['9007199254740993', '-9223372036854775808', 'x', '1.5']) expect(() => parseInteger(text)).toThrow(/safe range/)
})

it('treats an unsafe lease id as a lease', () => {
  expect(toLeaseId(2 ** 60)).toBe(foreignLease)
  expect(toLeaseId(12)).toBe(12)
})

it("maps the empty key to etcd's smallest key", () => expect(toKey('')).toEqual(Buffer.from([0])))

it.each([
  ['3.4.23', false],
  ['3.4.31', true],
  ['3.5.12', false],
  ['3.5.13', true],
  ['3.5.16-rc.0', true],
  ['3.6.0', true],
  ['4.0.0', true],
])('trusts progress of etcd %s: %s', (version, right) => expect(hasReliableProgress(version)).toBe(right))

it('exports only the public API', () => {
  expect(Object.keys(driver).sort()).toEqual(['TransportError', 'compactionRecord', 'foreignLease', 'openEtcd3'])
})
