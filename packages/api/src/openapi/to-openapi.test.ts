import type { GroupVersionTypes } from '../kind-type.ts'
import { describe, expect, it } from 'vitest'
import { coreV1 } from '../generated/core/v1/index.ts'
import { apiextensionsV1 } from '../generated/apiextensions/v1/index.ts'
import { openAPISchemas, toOpenAPIv3 } from './to-openapi.ts'

const of = (module: GroupVersionTypes, name: string) => toOpenAPIv3(module.table.resolve(name))

describe('OpenAPI v3', () => {
  it('includes types, formats, defaults, references and required fields', () => {
    expect(of(coreV1, 'ServicePort')).toEqual({
      properties: {
        appProtocol: { type: 'string' },
        name: { type: 'string' },
        nodePort: { format: 'int32', type: 'integer' },
        port: { default: 0, format: 'int32', type: 'integer' },
        protocol: { default: 'TCP', type: 'string' },
        targetPort: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString' }] },
      },
      required: ['port'],
      type: 'object',
    })
  })

  it('describes lists, maps and merge keys', () => {
    const status = of(coreV1, 'ServiceStatus').properties!
    expect(status['conditions']).toEqual({
      items: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Condition' }], default: {} },
      type: 'array',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'type',
      'x-kubernetes-patch-strategy': 'merge',
    })
    expect(of(coreV1, 'PersistentVolumeSpec').properties!['claimRef']).toMatchObject({ 'x-kubernetes-map-type': 'granular' })
    expect(of(coreV1, 'ObjectReference')).toMatchObject({ 'x-kubernetes-map-type': 'atomic' })
  })

  it('collects a type and all types it refers to, and no others', () => {
    const schemas = openAPISchemas([coreV1.table.resolve('PersistentVolume')])
    const text = JSON.stringify(schemas)
    const referred = new Set([...text.matchAll(/#\/components\/schemas\/([\w.-]+)/g)].map(([, name]) => name!))
    const root = 'io.k8s.api.core.v1.PersistentVolume'
    expect(Object.keys(schemas)).toEqual([...referred, root].toSorted())
    expect(schemas['io.k8s.api.core.v1.ObjectReference']).toMatchObject({ 'x-kubernetes-map-type': 'atomic' })
  })

  it('supports recursive types', () => {
    const schemas = openAPISchemas([apiextensionsV1.table.resolve('CustomResourceDefinition')])
    expect(schemas['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool']).toEqual({})
  })
})
