import { goTypeName } from '@keelson/apimachinery'
import type { FieldSchema, StructSchema, TypeSchema } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { createApiTypes } from '../api-types.ts'
import { appsV1 } from '../generated/apps/v1/index.ts'
import { authenticationV1 } from '../generated/authentication/v1/index.ts'
import { coreV1 } from '../generated/core/v1/index.ts'
import { metaV1 } from '../generated/meta/v1/index.ts'
import { schemaTable } from './schema-table.ts'

const types = createApiTypes([coreV1, appsV1, metaV1])
const pod = types.kind({ group: '', version: 'v1', kind: 'Pod' })!.schema

function at(schema: StructSchema, path: string): FieldSchema {
  let struct: StructSchema = schema
  let field: FieldSchema | undefined
  for (const name of path.split('.')) {
    field = struct.byName.get(name)!
    const inner = leaf(field.type)
    if (inner.kind === 'struct') struct = inner
  }
  return field!
}

function leaf(type: TypeSchema): TypeSchema {
  return type.kind === 'list' ? leaf(type.items) : type.kind === 'map' ? leaf(type.values) : type
}

describe('schemaTable', () => {
  it('describes lists, their keys and their patch strategies', () => {
    const ports = at(pod, 'spec.containers.ports')
    expect(ports).toMatchObject({ omit: 'empty', patchStrategy: ['merge'], patchMergeKey: 'containerPort' })
    expect(ports.type).toMatchObject({ kind: 'list', listType: 'map', mapKeys: ['containerPort', 'protocol'] })
    expect(at(pod, 'spec.containers.ports.protocol').default).toBe('TCP')
    expect(at(pod, 'metadata.finalizers').type).toMatchObject({ listType: 'set' })
  })

  it('describes which fields are required, pointers or omitted when empty', () => {
    expect(at(pod, 'spec.containers')).toMatchObject({ required: true })
    expect(at(pod, 'spec.containers').omit).toBeUndefined()
    expect(at(pod, 'spec.terminationGracePeriodSeconds')).toMatchObject({ pointer: true, omit: 'empty' })
    expect(at(pod, 'metadata.creationTimestamp')).toMatchObject({ omit: 'zero', type: { kind: 'time' } })
  })

  it('inlines structs into their parent and records the name of the struct', () => {
    expect(at(pod, 'spec.volumes.hostPath').embedded).toEqual(['VolumeSource'])
    expect(at(pod, 'spec.volumes.name').embedded).toBeUndefined()
    expect(at(pod, 'spec.volumes')).toMatchObject({ patchStrategy: ['merge', 'retainKeys'], patchMergeKey: 'name' })
  })

  it('shares a type between the kinds that refer to it', () => {
    const deployment = types.kind({ group: 'apps', version: 'v1', kind: 'Deployment' })!.schema
    expect(at(deployment, 'spec.template.spec').type).toBe(at(pod, 'spec').type)
    expect(types.findSchema('io.k8s.api.core.v1.PodSpec')).toBe(at(pod, 'spec').type)
    expect(types.findSchema('io.k8s.api.core.v1.Nothing')).toBeUndefined()
  })

  it('lets a field override the map type of its type', () => {
    const volume = coreV1.table.resolve('PersistentVolumeSpec')
    expect(at(volume, 'claimRef').type).toMatchObject({ mapType: 'granular', definition: 'io.k8s.api.core.v1.ObjectReference' })
    expect(coreV1.table.resolve('ObjectReference').mapType).toBe('atomic')
    expect(at(pod, 'spec.nodeSelector').type).toMatchObject({ kind: 'map', mapType: 'atomic' })
  })

  it('names the Go types for error messages', () => {
    const names = [
      'spec.containers.ports.protocol',
      'spec.containers.resources.limits',
      'spec.containers',
      'metadata.labels',
      'metadata.uid',
    ].map((path) => goTypeName(at(pod, path).type))
    expect(names).toEqual(['v1.Protocol', 'v1.ResourceList', '[]v1.Container', 'map[string]string', 'types.UID'])
    const claim = coreV1.table.resolve('PersistentVolumeClaimSpec')
    expect(goTypeName(at(claim, 'accessModes').type)).toBe('[]v1.PersistentVolumeAccessMode')
    expect(goTypeName(at(authenticationV1.table.resolve('UserInfo'), 'extra').type)).toBe('map[string]v1.ExtraValue')
  })

  it('rejects a reference to an unknown type', () => {
    const table = schemaTable('x', { group: '', version: 'v1' }, { A: 'b=B' })
    expect(() => table.resolve('A').fields).toThrow(TypeError)
  })
})

describe('createApiTypes', () => {
  it('has only the kinds of the added group versions', () => {
    expect(types.kind({ group: 'batch', version: 'v1', kind: 'Job' })).toBeUndefined()
    expect(types.kind({ group: '', version: 'v1', kind: 'Status' })?.gvk).toEqual({ group: '', version: 'v1', kind: 'Status' })
    expect(types.kind({ group: 'meta.k8s.io', version: 'v1', kind: 'PartialObjectMetadata' })).toBeDefined()
  })

  it('finds DeleteOptions under every group version', () => {
    const options = types.kind({ group: '', version: 'v1', kind: 'DeleteOptions' })
    expect(options).toBeDefined()
    expect(types.kind({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })).toBe(options)
    expect(createApiTypes([coreV1]).kind({ group: '', version: 'v1', kind: 'DeleteOptions' })).toBeUndefined()
  })
})
