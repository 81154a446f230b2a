import { describe, expect, it } from 'vitest'
import { internalForm } from './internal-form.ts'
import { internalTypes } from './types.ts'
import type { InternalType } from './types.ts'

describe('internalForm', () => {
  it('prints all fields, missing ones too, under their Go names', () => {
    expect(
      JSON.stringify(internalForm('PersistentVolumeClaimSpec', { resources: { requests: { storage: '1Gi' } }, storageClassName: '' })),
    ).toBe(
      '{"AccessModes":null,"Selector":null,"Resources":{"Limits":null,"Requests":{"storage":"1Gi"}},"VolumeName":"","StorageClassName":"","VolumeMode":null,"DataSource":null,"DataSourceRef":null,"VolumeAttributesClassName":null}',
    )
  })

  it('moves fields to their place in the internal type', () => {
    const pod = internalForm('PodSpec', { containers: [{ name: 'c' }], hostNetwork: true, volumes: [{ name: 'v', emptyDir: {} }] })
    expect(pod).toMatchObject({
      SecurityContext: { HostNetwork: true, HostPID: false, ShareProcessNamespace: null, RunAsUser: null },
      Containers: [{ Name: 'c', Resources: { Limits: null, Requests: null, Claims: null }, LivenessProbe: null }],
      Volumes: [{ Name: 'v', EmptyDir: { Medium: '', SizeLimit: null }, HostPath: null }],
    })
    expect(internalForm('PodTemplateSpec', { metadata: { labels: { a: 'b' } } })).toMatchObject({
      labels: { a: 'b' },
      Spec: { Volumes: null },
    })
  })

  it('knows every type that another one refers to', () => {
    for (const type of Object.keys(internalTypes)) expect(typeof internalForm(type as InternalType, {})).toBe('object')
    const named = Object.values(internalTypes).flatMap((members) => members.match(/(?<=[:*\]}^])[A-Z]\w+/g) ?? [])
    expect(named.filter((type) => !Object.hasOwn(internalTypes, type))).toEqual([])
  })
})
