import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import type { ValidationSteps } from '../resource-definition.ts'
import { describe, expect, it } from 'vitest'
import { validateInSlices } from './validate-in-slices.ts'

const path = newFieldPath('spec')
const openRequest = { signal: new AbortController().signal }

function blockFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** Creates a validation with `count` steps of `milliseconds` each, which reports an error for every second step. */
function createSteppingValidation(
  count: number,
  milliseconds: number,
): { validate: (steps: ValidationSteps) => FieldErrorList; readonly done: number[] } {
  const completedSteps: number[] = []
  const step = (i: number, steps: ValidationSteps): FieldErrorList =>
    steps.run(() => {
      blockFor(milliseconds)
      completedSteps.push(i)
      return i % 2 === 0
    })
      ? [fieldError.invalid(path.index(i), i, 'even')]
      : []
  return { done: completedSteps, validate: (steps) => Array.from({ length: count }, (_, i) => i).flatMap((i) => step(i, steps)) }
}

describe('validateInSlices', () => {
  it('returns synchronously if validation is fast', () => {
    expect(validateInSlices(openRequest, () => [])).toEqual([])
    expect(validateInSlices(openRequest, createSteppingValidation(3, 0).validate)).toHaveLength(2)
  })

  it('pauses during slow validation and runs each step once', async () => {
    const { validate, done } = createSteppingValidation(12, 4)
    const validation = validateInSlices(openRequest, validate)
    expect(validation).toBeInstanceOf(Promise)
    const inBetween: number[] = []
    const timer = setInterval(() => inBetween.push(done.length), 0)
    const errors = await validation
    clearInterval(timer)
    expect(inBetween.some((count) => count > 0 && count < 12)).toBe(true)
    expect(done).toEqual(Array.from({ length: 12 }, (_, i) => i))
    expect(errors.map(({ field }) => field)).toEqual([0, 2, 4, 6, 8, 10].map((i) => `spec[${i}]`))
  })

  it('keeps concurrent validations independent', async () => {
    const runs = [createSteppingValidation(6, 4), createSteppingValidation(8, 4)]
    const errors = await Promise.all(runs.map(async ({ validate }) => validateInSlices(openRequest, validate)))
    expect(errors.map(({ length }) => length)).toEqual([3, 4])
    expect(runs.map(({ done }) => done.length)).toEqual([6, 8])
  })

  it('stops when the request is aborted', async () => {
    const disconnect = new AbortController()
    const { validate, done } = createSteppingValidation(1000, 4)
    const validation = validateInSlices(disconnect, validate)
    disconnect.abort(new Error('gone'))
    await expect(validation).rejects.toThrow('gone')
    expect(done.length).toBeLessThan(1000)
  })

  it('rejects with the exception of a validation', async () => {
    const validateTooSlowly = (steps: ValidationSteps): FieldErrorList => {
      for (let i = 0; i < 4; i++) if (steps.run(() => (blockFor(6), true)) === undefined) return []
      throw new Error('broken')
    }
    await expect(validateInSlices(openRequest, validateTooSlowly)).rejects.toThrow('broken')
  })
})
