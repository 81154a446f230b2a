import type { StorageClass } from '@keelson/api/storage/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { collectFieldErrors, formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { storageClasses } from './index.ts'

const context = {} as RequestContext
const { strategy } = storageClasses
const createStorageClass = (overrides: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name: 'a' },
  provisioner: 'example.com/a',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  ...overrides,
})

describe('storage classes', () => {
  it('rejects all changes except those of volume expansion and topologies', () => {
    const old = createStorageClass({ parameters: { type: 'a' } })
    const errors = strategy.validateUpdate?.(context, createStorageClass({ reclaimPolicy: 'Retain', allowVolumeExpansion: true }), old)
    expect(errors?.map(formatFieldError)).toEqual([
      'parameters: Invalid value: {}: field is immutable',
      'reclaimPolicy: Invalid value: "Retain": field is immutable',
    ])
  })

  it('marks the default class in the name column', () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
    expect(createTableConvertor(storageClasses).createCells(createStorageClass({ metadata: { name: 'a', annotations } }), 0)).toEqual([
      'a (default)',
      'example.com/a',
      'Delete',
      'Immediate',
      false,
      '<unknown>',
    ])
  })

  it('reports duplicate terms in linear time', () => {
    const zone = { matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }
    const topology = { matchLabelExpressions: [{ key: 'zone', values: ['b', 'a'] }] }
    const validateTopologies = (terms: StorageClass['allowedTopologies']): string[] | undefined =>
      collectFieldErrors(() => strategy.validateCreate!(context, createStorageClass(terms && { allowedTopologies: terms }))).map(
        formatFieldError,
      )
    expect(validateTopologies([zone, topology])).toEqual(['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'])
    expect(validateTopologies([{}, {}, {}])).toHaveLength(3 + 4 + 5)
    expect(validateTopologies(Array.from({ length: 300_000 }, () => ({})))).toHaveLength(1001)
  })

  it('warns about deprecated node labels', () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', values: ['a'] }] }]
    expect(strategy.warningsOnCreate?.(context, createStorageClass({ allowedTopologies }))).toEqual([
      'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ])
  })
})
