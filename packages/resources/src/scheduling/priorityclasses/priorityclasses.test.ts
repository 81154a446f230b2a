import { createApiTypes } from '@keelson/api'
import { schedulingV1 } from '@keelson/api/scheduling/v1'
import type { PriorityClass } from '@keelson/api/scheduling/v1'
import { selectEveryField, selectEverything, formatFieldError } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { openTestStore, testContext } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { priorityClasses } from './index.ts'
import { systemPriorityClasses } from './system-classes.ts'

const { strategy } = priorityClasses
const context = {} as RequestContext
const createPriorityClass = (name: string, value: number, overrides: Partial<PriorityClass> = {}): PriorityClass => ({
  metadata: { name },
  value,
  preemptionPolicy: 'PreemptLowerPriority',
  ...overrides,
})
const validateToMessages = (object: PriorityClass): string[] => (strategy.validateCreate?.(context, object) ?? []).map(formatFieldError)
const reserved = "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "

describe('priority classes', () => {
  it('rejects names with the system prefix, except equal copies of the built-in classes', () => {
    for (const known of systemPriorityClasses) expect(validateToMessages({ ...known })).toEqual([])
    expect(validateToMessages(createPriorityClass('system-node-critical', 1))).toEqual([
      `${reserved}value of system-node-critical PriorityClass must be 2000001000`,
    ])
    expect(validateToMessages(createPriorityClass('system-cluster-critical', 2_000_000_000, { globalDefault: true }))).toEqual([
      `${reserved}globalDefault of system-cluster-critical PriorityClass must be false`,
    ])
    expect(validateToMessages(createPriorityClass('system-a', 1))).toEqual([`${reserved}system-a is not a known system priority class`])
  })

  it('rejects changes of the value and the policy', () => {
    const errors = strategy.validateUpdate?.(
      context,
      createPriorityClass('a', 2, { preemptionPolicy: 'Never' }),
      createPriorityClass('a', 1),
    )
    expect(errors?.map(formatFieldError)).toEqual([
      'value: Forbidden: may not be changed in an update.',
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ])
  })

  it('deletes classes with the system prefix in a collection, but not by name', async () => {
    await using test = openTestStore(priorityClasses, { types: createApiTypes([schedulingV1]) })
    const request = { options: {}, dryRun: false }
    await test.store.create(testContext(''), structuredClone(systemPriorityClasses[0]) as PriorityClass, { dryRun: false })
    await expect(test.store.delete(testContext(''), 'system-node-critical', request)).rejects.toThrow(
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    )
    const everyClass = {
      predicate: { labels: selectEverything(), fields: selectEveryField() },
      resourceVersion: '',
      resourceVersionMatch: undefined,
    }
    const { items } = await test.store.deleteCollection(testContext(''), request, { ...everyClass, limit: 0, continue: '' })
    expect(items).toHaveLength(1)
  })

  it('prints the preemption policy after the age', () => {
    const { columns, createCells } = createTableConvertor(priorityClasses)
    expect(columns.map(({ name }) => name)).toEqual(['Name', 'Value', 'Global-Default', 'Age', 'PreemptionPolicy'])
    expect(createCells(createPriorityClass('a', 1), 0)).toEqual(['a', 1, false, '<unknown>', 'PreemptLowerPriority'])
  })
})
