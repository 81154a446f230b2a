import { expect, it } from 'vitest'
import { readAccepted, reasonFor } from './accepted.ts'

it('names patterns, and reasons that say something', () => {
  for (const { group, reason } of readAccepted()) {
    expect(() => new RegExp(group)).not.toThrow()
    // One that fits everything would hide everything.
    expect(new RegExp(group).test('create POST Pod body.spec')).toBe(false)
    expect(reason.length).toBeGreaterThan(20)
  }
})

it('is found by its pattern', () => {
  const accepted = [{ group: '^read GET Pod', reason: 'because' }]
  expect(reasonFor('read GET Pod body', accepted)).toBe('because')
  expect(reasonFor('read GET Node body', accepted)).toBeUndefined()
})
