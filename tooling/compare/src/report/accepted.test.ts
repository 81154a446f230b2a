import { expect, it } from 'vitest'
import { readAccepted, findReason } from './accepted.ts'

it('contains valid patterns and reasons', () => {
  for (const { group, reason } of readAccepted()) {
    expect(() => new RegExp(group)).not.toThrow()
    // A pattern that matches everything would hide all differences.
    expect(new RegExp(group).test('create POST Pod body.spec')).toBe(false)
    expect(reason.length).toBeGreaterThan(20)
  }
})

it('returns the reason of the first matching pattern', () => {
  const accepted = [{ group: '^read GET Pod', reason: 'because' }]
  expect(findReason('read GET Pod body', accepted)).toBe('because')
  expect(findReason('read GET Node body', accepted)).toBeUndefined()
})
