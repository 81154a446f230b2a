import { appsV1 } from '@keelson/api/apps/v1'
import { coreV1 } from '@keelson/api/core/v1'
import { describe, expect, it } from 'vitest'
import { toInternalStruct } from './to-internal-struct.ts'
import { valueFields, internalFieldOrder } from './field-order.ts'

describe('toInternalStruct', () => {
  it('prints all fields with their Go names, including missing fields', () => {
    expect(
      JSON.stringify(
        toInternalStruct(coreV1.table.resolve('PersistentVolumeClaimSpec'), {
          resources: { requests: { storage: '1Gi' } },
          storageClassName: '',
        }),
      ),
    ).toBe(
      '{"AccessModes":null,"Selector":null,"Resources":{"Limits":null,"Requests":{"storage":"1Gi"}},"VolumeName":"","StorageClassName":"","VolumeMode":null,"DataSource":null,"DataSourceRef":null,"VolumeAttributesClassName":null}',
    )
  })

  it('prints fields in the order of the internal type', () => {
    const pod = toInternalStruct(coreV1.table.resolve('PodSpec'), {
      containers: [{ name: 'c' }],
      hostNetwork: true,
      volumes: [{ name: 'v', emptyDir: {} }],
    })
    expect(pod).toMatchObject({
      SecurityContext: { HostNetwork: true, HostPID: false, ShareProcessNamespace: null, RunAsUser: null },
      Containers: [{ Name: 'c', Resources: { Limits: null, Requests: null, Claims: null }, LivenessProbe: null }],
      Volumes: [{ Name: 'v', EmptyDir: { Medium: '', SizeLimit: null }, HostPath: null }],
    })
    expect(toInternalStruct(coreV1.table.resolve('PodTemplateSpec'), { metadata: { labels: { a: 'b' } } })).toMatchObject({
      labels: { a: 'b' },
      Spec: { Volumes: null },
    })
  })

  it('prints missing numbers as zero if the internal type requires them', () => {
    expect(toInternalStruct(appsV1.table.resolve('RollingUpdateStatefulSetStrategy'), {})).toEqual({ Partition: 0, MaxUnavailable: null })
  })

  it('the tables of internal fields contain only fields of the API type or the pod spec', () => {
    const findStruct = (name: string) => coreV1.table.struct(name) ?? appsV1.table.resolve(name)
    const podSpec = findStruct('PodSpec').byName
    for (const [name, fields] of Object.entries(internalFieldOrder))
      expect(fields.split(' ').filter((field) => !findStruct(name).byName.has(field) && !podSpec.has(field))).toEqual([])
    for (const path of valueFields) {
      const [name = '', field = ''] = path.split('.')
      expect(findStruct(name).byName.get(field)?.pointer).toBe(true)
    }
  })
})
