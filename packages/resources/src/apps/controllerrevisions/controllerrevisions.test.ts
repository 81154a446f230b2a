import type { ControllerRevision } from '@keelson/api/apps/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { controllerRevisions } from './index.ts'

const context = {} as RequestContext
const { strategy } = controllerRevisions
const createRevision = (data?: ControllerRevision['data']): ControllerRevision => ({
  metadata: { name: 'r' },
  revision: 1,
  ...(data !== undefined && { data }),
})

describe('controller revisions', () => {
  it.each([
    [undefined, 'data: Required value: data is mandatory'],
    [null, 'data: Required value: data is mandatory'],
    [[1], 'data: Required value: data must be a valid JSON object'],
    ['a', 'data: Required value: data must be a valid JSON object'],
  ])('rejects data other than an object: %j', (data, message) => {
    expect(strategy.validateCreate?.(context, createRevision(data)).map(formatFieldError)).toEqual([message])
  })

  it('rejects changes of the data', () => {
    const changed = { ...createRevision({ a: 2 }), revision: 2 }
    expect(strategy.validateUpdate?.(context, changed, createRevision({ a: 1 })).map(formatFieldError)).toEqual([
      'data: Invalid value: {"a":2}: field is immutable',
    ])
  })

  it('prints the controller as a column', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true }
    const owned = { ...createRevision({}), metadata: { name: 'r', ownerReferences: [owner] } }
    const table = createTableConvertor(controllerRevisions)
    expect(table.createCells(owned, 0)).toEqual(['r', 'statefulset.apps/web', 1, '<unknown>'])
    expect(table.createCells(createRevision({}), 0)).toEqual(['r', '<none>', 1, '<unknown>'])
  })
})
