import type { Namespace } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { setNamespaceDefaults } from './defaults.ts'
import { namespaces } from './index.ts'
import { finalizeStrategy, statusStrategy } from './strategy.ts'

const context = {} as RequestContext
const { strategy } = namespaces

describe('namespaces', () => {
  it('creates active namespaces with the kubernetes finalizer and a name label', () => {
    const namespace: Namespace = { metadata: { name: 'a' }, spec: { finalizers: ['example.com/f'] }, status: { phase: 'Terminating' } }
    setNamespaceDefaults(namespace)
    strategy.prepareForCreate?.(context, namespace)
    expect(namespace).toEqual({
      metadata: { name: 'a', labels: { 'kubernetes.io/metadata.name': 'a' } },
      spec: { finalizers: ['example.com/f', 'kubernetes'] },
      status: { phase: 'Active' },
    })
    const generated: Namespace = { metadata: { generateName: 'a-' } }
    setNamespaceDefaults(generated)
    expect(generated.metadata.labels).toBeUndefined()
    generated.metadata.name = 'a-x'
    strategy.canonicalize?.(generated)
    expect(generated.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'a-x' })
  })

  it('changes finalizers only by the subresource finalize, and the phase only by status', () => {
    const old: Namespace = { metadata: { name: 'a' }, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }
    const createTerminatingNamespace = (): Namespace => ({
      metadata: { name: 'a' },
      spec: { finalizers: [] },
      status: { phase: 'Terminating' },
    })
    const namespace = createTerminatingNamespace()
    strategy.prepareForUpdate?.(context, namespace, old)
    expect(namespace).toEqual(old)
    const finalized = createTerminatingNamespace()
    finalizeStrategy.prepareForUpdate?.(context, finalized, old)
    expect([finalized.spec, finalized.status]).toEqual([{ finalizers: [] }, { phase: 'Active' }])
    const status = createTerminatingNamespace()
    statusStrategy.prepareForUpdate?.(context, status, old)
    expect([status.spec, status.status]).toEqual([{ finalizers: ['kubernetes'] }, { phase: 'Terminating' }])
    expect(statusStrategy.validateUpdate?.(context, status, old).map(formatFieldError)).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ])
  })

  it('requires standard or qualified finalizers', () => {
    const namespace: Namespace = { metadata: { name: 'a' }, spec: { finalizers: ['kubernetes', 'mine'] } }
    const detail = 'Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified'
    expect(strategy.validateCreate?.(context, namespace).map(formatFieldError)).toEqual([`spec.finalizers: ${detail}`])
    expect(finalizeStrategy.validateUpdate?.(context, namespace, namespace).map(formatFieldError)).toEqual([
      `spec.finalizers[1]: ${detail}`,
    ])
  })

  it('deletes a namespace when its last finalizer is removed', () => {
    const namespace: Namespace = { metadata: { name: 'a' }, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }
    namespaces.deletion?.beginDelete(namespace)
    expect(namespace.status?.phase).toBe('Terminating')
    expect(namespaces.deletion?.isReadyToRemove(namespace)).toBe(false)
    expect(namespaces.deletion?.isReadyToRemove({ ...namespace, spec: {} })).toBe(true)
  })
})
