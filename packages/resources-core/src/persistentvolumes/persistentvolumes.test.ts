import type { PersistentVolume, PersistentVolumeSpec } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { setPersistentVolumeDefaults } from './index.ts'
import { persistentVolumeStatus, persistentVolumeStrategy as strategy } from './strategy.ts'

const context = {} as RequestContext
const nfs = { server: 's', path: '/' }

function createVolume(spec: Partial<PersistentVolumeSpec>): PersistentVolume {
  const created: PersistentVolume = {
    metadata: { name: 'v' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
  }
  setPersistentVolumeDefaults(created)
  return created
}
const create = (spec: Partial<PersistentVolumeSpec>): string[] =>
  (strategy.validateCreate?.(context, createVolume(spec)) ?? []).map(formatFieldError)
/** Returns the errors of an update without duplicates, because kube-apiserver reports errors of the spec twice. */
const update = (spec: Partial<PersistentVolumeSpec>, old: Partial<PersistentVolumeSpec>): string[] => [
  ...new Set((strategy.validateUpdate?.(context, createVolume(spec), createVolume(old)) ?? []).map(formatFieldError)),
]
const createZoneAffinity = (key: string): NonNullable<PersistentVolumeSpec['nodeAffinity']> => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }] },
})

describe('persistent volumes', () => {
  it('requires exactly one source', () => {
    expect(create({ nfs })).toEqual([])
    expect(create({})).toEqual(['spec: Required value: must specify a volume type'])
    expect(create({ nfs, csi: { driver: 'd', volumeHandle: 'h' } })).toEqual([
      'spec.csi: Forbidden: may not specify more than 1 volume type',
    ])
    expect(create({ local: { path: '/a' } })).toEqual(['spec.nodeAffinity: Required value: Local volume requires node affinity'])
    expect(create({ hostPath: { path: '/a/..' }, persistentVolumeReclaimPolicy: 'Recycle' })).toEqual([
      'spec.hostPath.path: Invalid value: "/a/..": must not contain \'..\'',
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ])
  })

  it('requires a namespace in secret references', () => {
    const csi = { driver: 'd', volumeHandle: '', nodePublishSecretRef: { name: 'S', namespace: '' } }
    expect(create({ csi }).map((text) => text.split(': ').slice(0, 2).join(': '))).toEqual([
      'spec.csi.volumeHandle: Required value',
      'spec.csi.nodePublishSecretRef.name: Invalid value',
      'spec.csi.nodePublishSecretRef.namespace: Required value',
    ])
    expect(create({ cinder: { volumeID: 'v', secretRef: { name: 's' } } })).toEqual(['spec.cinder.secretRef.namespace: Required value'])
  })

  it('rejects changes of source and node affinity', () => {
    expect(update({ nfs: { ...nfs, server: 't' } }, { nfs })[0]).toMatch(
      /^spec\.persistentvolumesource: Forbidden: spec\.persistentvolumesource is immutable after creation\n/,
    )
    const csi = { driver: 'd', volumeHandle: 'h' }
    const expandable = { ...csi, controllerExpandSecretRef: { name: 's', namespace: 'n' } }
    expect(update({ csi: expandable }, { csi })).toEqual([])
    expect(update({ csi }, { csi: expandable })).toHaveLength(1)
    expect(update({ nfs, volumeMode: 'Block' }, { nfs })).toEqual(['volumeMode: Invalid value: "Block": field is immutable'])
    const zone = 'topology.kubernetes.io/zone'
    expect(
      update(
        { nfs, nodeAffinity: createZoneAffinity(zone) },
        { nfs, nodeAffinity: createZoneAffinity('failure-domain.beta.kubernetes.io/zone') },
      ),
    ).toEqual([])
    expect(update({ nfs, nodeAffinity: createZoneAffinity('other') }, { nfs, nodeAffinity: createZoneAffinity(zone) })).toEqual([
      expect.stringMatching(/^nodeAffinity: Invalid value: \{"Required".*: field is immutable, except for updating from beta label to GA$/),
    ])
  })

  it('sets the time of the last phase transition', () => {
    const old: PersistentVolume = {
      ...createVolume({ nfs }),
      status: { phase: 'Available', lastPhaseTransitionTime: '2026-01-01T00:00:00Z' },
    }
    const write = (status: PersistentVolume['status']): PersistentVolume['status'] => {
      const changed: PersistentVolume = { ...createVolume({ nfs }), ...(status && { status }) }
      persistentVolumeStatus.update.prepareForUpdate?.(context, changed, old)
      return changed.status
    }
    expect(write({ phase: 'Available' })).toEqual(old.status)
    expect(write({ phase: 'Bound' })?.lastPhaseTransitionTime).not.toBe(old.status?.lastPhaseTransitionTime)
    const status = { phase: 'Bound', lastPhaseTransitionTime: '2026-02-01T00:00:00Z' }
    expect(write(status)).toEqual(status)
  })
})
