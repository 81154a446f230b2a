import { describe, expect, it } from 'vitest'
import type { ManagedFieldsEntry } from '../meta.ts'
import { updateScaleManagers, getScaleManagers } from './scale-managers.ts'

const paths = { 'apps/v1': 'spec.replicas' }
const createEntry = (manager: string, fieldsV1: object, overrides: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Apply',
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: fieldsV1 as NonNullable<ManagedFieldsEntry['fieldsV1']>,
  ...overrides,
})
const replicas = { 'f:spec': { 'f:replicas': {} } }
const both = { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } }

describe('managers of a Scale', () => {
  it('returns the managers of the replicas field as managers of the Scale', () => {
    const entries = [
      createEntry('a', both),
      createEntry('b', { 'f:spec': { 'f:selector': {} } }),
      createEntry('c', replicas, { apiVersion: 'gone/v1' }),
    ]
    expect(getScaleManagers(entries, paths)).toEqual([createEntry('a', replicas, { apiVersion: 'autoscaling/v1' })])
  })

  it("replaces the managers of the object's replicas field by those of the Scale", () => {
    const entries = [createEntry('a', both), createEntry('b', replicas), createEntry('c', both)]
    const scale = [createEntry('c', replicas, { apiVersion: 'autoscaling/v1' })]
    expect(updateScaleManagers(entries, scale, { apiVersion: 'apps/v1', paths })).toEqual([
      createEntry('a', { 'f:spec': { 'f:selector': {} } }),
      createEntry('c', both),
    ])
  })

  it('keeps the managers of versions without a Scale', () => {
    const entries = [createEntry('a', replicas, { apiVersion: 'apps/v2' })]
    const scaled = { ...paths, 'apps/v2': null }
    expect(getScaleManagers(entries, scaled)).toBeUndefined()
    expect(updateScaleManagers(entries, [], { apiVersion: 'apps/v1', paths: scaled })).toEqual(entries)
  })

  it('sets no time for managers that wrote the Scale', () => {
    const { time: _, ...newcomer } = createEntry('hpa', replicas, { operation: 'Update', subresource: 'scale' })
    const scale = [createEntry('hpa', replicas, { operation: 'Update', apiVersion: 'autoscaling/v1', subresource: 'scale' })]
    expect(updateScaleManagers([createEntry('a', both)], scale, { apiVersion: 'apps/v1', paths })).toEqual([
      createEntry('a', { 'f:spec': { 'f:selector': {} } }),
      newcomer,
    ])
  })
})
