import { fieldError, fieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import type { Strategy } from './resource-definition.ts'
import { openTestStore, plain, put, testContext } from './testing/index.ts'
import { widgets } from './testing/widgets.fixture.ts'
import type { Widget } from './testing/widgets.fixture.ts'

const context = testContext('ns', { group: 'example.com', version: 'v1', resource: 'widgets' })
const validate = (_context: unknown, { spec }: DeepReadonly<Widget>): FieldErrorList =>
  spec?.size === 13 ? [fieldError.invalid(fieldPath('spec', 'size'), 13, 'not that')] : []
const widget = (size: number): Widget => ({ metadata: { name: 'a' }, spec: { size } })

it.each<[string, Strategy<Widget>['runValidation']]>([
  ['at once', (_context, run) => run()],
  ['in steps', async (_context, run) => Promise.resolve().then(run)],
])('a validation that is run %s decides', async (_, runValidation) => {
  const strategy = { ...widgets.strategy, validateCreate: validate, validateUpdate: validate, runValidation: runValidation! }
  await using test = openTestStore({ ...widgets, strategy })
  const refusal = { code: 422, message: 'Widget.example.com "a" is invalid: spec.size: Invalid value: 13: not that' }
  await expect(test.store.create(context, widget(13), { dryRun: false })).rejects.toMatchObject(refusal)
  expect(plain(await test.store.create(context, widget(1), { dryRun: false }))).toMatchObject({ spec: { size: 1 } })
  await expect(test.store.update(context, 'a', put(widget(13)), { dryRun: false })).rejects.toMatchObject(refusal)
  expect(plain((await test.store.update(context, 'a', put(widget(2)), { dryRun: false })).object)).toMatchObject({ spec: { size: 2 } })
})
