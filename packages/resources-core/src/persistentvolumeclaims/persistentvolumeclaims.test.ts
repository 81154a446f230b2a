import type { PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeClaimStatus } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { setClaimDefaults } from './defaults.ts'
import { claimStrategy as strategy } from './strategy.ts'
import { validateClaimStatus } from './validate-status.ts'

const context = {} as RequestContext
const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' }

function claim(spec: Partial<PersistentVolumeClaimSpec>, status?: PersistentVolumeClaimStatus, size = '1Gi'): PersistentVolumeClaim {
  const created: PersistentVolumeClaim = {
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, ...spec },
    ...(status && { status }),
  }
  setClaimDefaults(created)
  return created
}
function create(spec: Partial<PersistentVolumeClaimSpec>): PersistentVolumeClaimSpec {
  const created = claim(spec)
  strategy.prepareForCreate?.(context, created)
  return created.spec!
}
function update(changed: PersistentVolumeClaim, old: PersistentVolumeClaim): string[] {
  const object = structuredClone(changed)
  strategy.prepareForUpdate?.(context, object, old)
  return (strategy.validateUpdate?.(context, object, old) ?? []).map(formatFieldError)
}

describe('claims', () => {
  it('keeps dataSource and dataSourceRef in sync, and drops invalid data sources', () => {
    expect(create({ dataSource: snapshot }).dataSourceRef).toEqual(snapshot)
    expect(create({ dataSourceRef: snapshot }).dataSource).toEqual(snapshot)
    const other = { apiGroup: 'example.com', kind: 'Backup', name: 'b' }
    expect(create({ dataSource: other })).not.toHaveProperty('dataSource')
    expect(create({ dataSourceRef: other }).dataSource).toEqual(other)
    expect(create({ dataSourceRef: { ...snapshot, namespace: 'other' } })).not.toHaveProperty('dataSourceRef')
  })

  it('allows a client to set the volume and the storage class once', () => {
    expect(update(claim({ volumeName: 'v', storageClassName: 'fast' }), claim({}))).toEqual([])
    expect(update(claim({ volumeName: 'w' }), claim({ volumeName: 'v' }))[0]).toMatch(
      /^spec: Forbidden: spec is immutable after creation except/,
    )
    expect(update(claim({ storageClassName: 'slow' }), claim({ storageClassName: 'fast' }))).toHaveLength(1)
    expect(update(claim({ volumeMode: 'Block' }), claim({}))).toEqual([
      expect.stringMatching(/^spec: Forbidden/),
      'volumeMode: Invalid value: "Block": field is immutable',
    ])
  })

  it('allows larger requests when the claim is bound, and smaller requests above the capacity', () => {
    const createBoundClaim = (size: string, capacity = '1Gi'): PersistentVolumeClaim =>
      claim({}, { phase: 'Bound', capacity: { storage: capacity } }, size)
    expect(update(claim({}, undefined, '2Gi'), claim({}))).toHaveLength(1)
    expect(update(createBoundClaim('2Gi'), createBoundClaim('1Gi'))).toEqual([])
    expect(update(createBoundClaim('2Gi'), createBoundClaim('3Gi'))).toEqual([])
    expect(update(createBoundClaim('1Gi'), createBoundClaim('3Gi'))).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ])
  })

  it('rejects the removal of a volume attributes class that is in use', () => {
    const status = { phase: 'Bound', currentVolumeAttributesClassName: 'gold' }
    const old = claim({ volumeAttributesClassName: 'gold' }, status)
    expect(update(claim({ volumeAttributesClassName: 'silver' }, status), old)).toEqual([])
    expect(update(claim({}, status), old)).toEqual([
      'spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil',
    ])
  })

  it('validates the resize status', () => {
    const status = { allocatedResourceStatuses: { storage: 'Lost', cpu: 'NodeResizePending' }, allocatedResources: { storage: '-1' } }
    expect(validateClaimStatus(claim({}, status)).map(({ type, field }) => `${field} ${type}`)).toEqual([
      'status.allocatedResourceStatuses FieldValueNotSupported',
      'status.allocatedResourceStatuses FieldValueNotSupported',
      'status.allocatedResources[storage] FieldValueInvalid',
    ])
  })
})
