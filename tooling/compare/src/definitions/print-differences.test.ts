import { expect, it } from 'vitest'
import { classifyCause, printDefinitions } from './print-differences.ts'

const step = { method: 'POST', path: '/apis/example.com/v1/widgets' }
const createDifference = (item: string, message: string) => ({ item, step, where: `cause spec.${item}`, want: { message }, got: undefined })

it('groups messages that differ only in values, paths and numbers', () => {
  const example = createDifference('object a/1', 'Invalid value: "x\\"y": spec.a[0].b must be at most 5')
  const same = createDifference('object b/2', 'Invalid value: "z": spec.c must be at most 10')
  expect(classifyCause(example)).toBe(classifyCause({ ...same, want: { message: 'Invalid value: "z": spec.c.d must be at most 10' } }))
  expect(classifyCause(example)).not.toBe(classifyCause(createDifference('object a/1', 'Required value')))
})

it('prints the share of equal items, and the largest group first', () => {
  const differences = [
    createDifference('object a/1', 'Required value'),
    createDifference('object a/2', 'Too long'),
    createDifference('object a/3', 'Too long'),
  ]
  const text = printDefinitions({ compared: new Map([['object', 10]]), created: 5, differences }, 1)
  expect(text.split('\n')[0]).toMatch(/^2 × object \| POST \| cause \| Too long/)
  expect(text).toContain('… and 1 more groups')
  expect(text).toContain('object 7 of 10 alike (70.00 %)')
})
