import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { ApiError, DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import type { Strategy } from '../resource-definition.ts'
import { openTestStore, getPlainObject, put, testContext } from '../testing/index.ts'
import { widgets } from '../testing/widgets.fixture.ts'
import type { Widget } from '../testing/widgets.fixture.ts'

const context = testContext('ns', { group: 'example.com', version: 'v1', resource: 'widgets' })
const validate = (_context: unknown, { spec }: DeepReadonly<Widget>): FieldErrorList =>
  spec?.size === 13 ? [fieldError.invalid(newFieldPath('spec', 'size'), 13, 'not that')] : []
const createWidget = (size: number): Widget => ({ metadata: { name: 'a' }, spec: { size } })

it('validation stops after 1,000 errors and reports all of them', async () => {
  let validated = 0
  const validateItems = (_context: unknown, { spec }: DeepReadonly<Widget>): FieldErrorList =>
    Array.from({ length: spec?.size ?? 0 }).flatMap((_, i) => {
      validated++
      return [fieldError.invalid(newFieldPath('spec', 'items').index(i), i, 'not that')]
    })
  const strategy = { ...widgets.strategy, validateCreate: validateItems, validateUpdate: validateItems }
  await using test = openTestStore({ ...widgets, strategy })
  const listCauses = async (size: number): Promise<readonly { readonly field?: string; readonly message?: string }[]> => {
    const refusal = test.store.create(context, createWidget(size), { dryRun: false })
    return refusal.then(
      () => [],
      (error: ApiError) => error.status.details?.causes ?? [],
    )
  }
  expect(await listCauses(1000)).toHaveLength(1000)
  validated = 0
  const causes = await listCauses(1_000_000)
  expect(causes).toHaveLength(1001)
  expect(causes[999]).toMatchObject({ field: 'spec.items[999]' })
  expect(causes[1000]).toMatchObject({ field: '<nil>', message: 'Too many: validation ended after 1000 errors' })
  expect(validated).toBe(1001)
  await test.store.create(context, createWidget(0), { dryRun: false })
  await expect(test.store.update(context, 'a', { change: put(createWidget(1_000_000)), dryRun: false })).rejects.toMatchObject({
    code: 422,
  })
  expect(validated).toBe(2002)
})

it.each<[string, Strategy<Widget>['runValidation']]>([
  ['at once', (_context, run) => run()],
  ['in steps', async (_context, run) => Promise.resolve().then(() => run())],
])('returns the errors of a validation that runs %s', async (_, runValidation) => {
  const strategy = { ...widgets.strategy, validateCreate: validate, validateUpdate: validate, runValidation: runValidation! }
  await using test = openTestStore({ ...widgets, strategy })
  const refusal = { code: 422, message: 'Widget.example.com "a" is invalid: spec.size: Invalid value: 13: not that' }
  await expect(test.store.create(context, createWidget(13), { dryRun: false })).rejects.toMatchObject(refusal)
  expect(getPlainObject(await test.store.create(context, createWidget(1), { dryRun: false }))).toMatchObject({ spec: { size: 1 } })
  await expect(test.store.update(context, 'a', { change: put(createWidget(13)), dryRun: false })).rejects.toMatchObject(refusal)
  expect(getPlainObject((await test.store.update(context, 'a', { change: put(createWidget(2)), dryRun: false })).object)).toMatchObject({
    spec: { size: 2 },
  })
})
