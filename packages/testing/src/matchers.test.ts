import { describe, expect, test } from 'vitest'
import { matchers } from './matchers.ts'
import { normalizeVolatileFields } from './snapshot-serializer.ts'

const widget = {
  kind: 'Widget',
  metadata: {
    name: 'w',
    namespace: 'a',
    managedFields: [
      { manager: 'operator', operation: 'Update', fieldsV1: { 'f:status': { 'f:phase': {} } }, subresource: 'status' },
      { manager: 'user', fieldsV1: { 'f:spec': { '.': {}, 'f:size': {}, 'f:ports': { 'k:{"name":"http"}': { '.': {}, 'f:port': {} } } } } },
    ],
  },
  status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Crashed', message: 'exit code 1' }] },
}

describe('toHaveCondition', () => {
  test('compares the status, which is "True" by default, and the other given fields', () => {
    expect(matchers.toHaveCondition(widget, 'Ready').pass).toBe(false)
    expect(matchers.toHaveCondition(widget, 'Ready', { status: 'False' }).pass).toBe(true)
    expect(matchers.toHaveCondition(widget, 'Ready', { status: 'False', reason: 'Crashed', message: 'exit code 1' }).pass).toBe(true)
    expect(matchers.toHaveCondition(widget, 'Ready', { status: 'False', reason: 'Other' }).pass).toBe(false)
    expect(matchers.toHaveCondition({ metadata: {} }, 'Ready').pass).toBe(false)
  })

  test('reports the conditions of the object', () => {
    expect(matchers.toHaveCondition(widget, 'Ready').message()).toBe(
      'expected Widget a/w to have the condition Ready=True; its conditions are Ready=False (Crashed: exit code 1)',
    )
    expect(() => matchers.toHaveCondition('text', 'Ready')).toThrow('toHaveCondition: the received value is not a Kubernetes object')
  })
})

describe('toHaveManagedFields', () => {
  test('finds fields, also of list items, and fields that contain owned fields', () => {
    const isOwned = (manager: string, ...paths: string[]): boolean => matchers.toHaveManagedFields(widget, manager, paths).pass
    expect(isOwned('user', '.spec', '.spec.size', '.spec.ports[name="http"].port', '.spec.ports')).toBe(true)
    expect(isOwned('operator', '.status.phase')).toBe(true)
    expect(isOwned('operator', '.status.phase', '.spec.size')).toBe(false)
    expect(isOwned('user', '.spec.siz')).toBe(false)
    expect(isOwned('user', '.spec.size.more')).toBe(false)
  })

  test('reports the missing paths and the owned ones', () => {
    expect(matchers.toHaveManagedFields(widget, 'operator', ['.status.phase', '.spec.size']).message()).toBe(
      'expected operator to own .spec.size of Widget a/w; it owns .status.phase',
    )
    expect(matchers.toHaveManagedFields(widget, 'nobody', ['.spec']).message()).toBe(
      'expected nobody to own .spec of Widget a/w; it owns no fields, and the managers are operator, user',
    )
  })
})

describe('normalizeVolatileFields', () => {
  const metadata = { uid: '1', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z', labels: { uid: 'kept' } }

  test('replaces uids, versions, times and generated names, and keeps everything else', () => {
    const pod = {
      kind: 'Pod',
      metadata: { ...metadata, generateName: 'web-', name: 'web-x7k2p', ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: '9' }] },
      spec: { uid: 'kept', env: [{ name: 'time', value: '2026-01-01T00:00:00Z' }] },
      status: { startTime: '2026-01-01T00:00:00Z', conditions: [{ type: 'Ready', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    }
    expect(normalizeVolatileFields({ items: [pod] })).toEqual({
      items: [
        {
          kind: 'Pod',
          metadata: {
            uid: '<uid>',
            resourceVersion: '<resourceVersion>',
            creationTimestamp: '<creationTimestamp>',
            labels: { uid: 'kept' },
            generateName: 'web-',
            name: 'web-<generated>',
            ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: '<uid>' }],
          },
          spec: pod.spec,
          status: { startTime: '<startTime>', conditions: [{ type: 'Ready', lastTransitionTime: '<lastTransitionTime>' }] },
        },
      ],
    })
  })

  test('changes nothing in a normalized value, nor in its argument', () => {
    const original = { metadata: { ...metadata } }
    const once = normalizeVolatileFields(original)
    expect(normalizeVolatileFields(once)).toEqual(once)
    expect(original.metadata).toEqual(metadata)
  })
})
