import { expect, it } from 'vitest'
import * as api from './index.ts'
import * as openapi from './openapi/index.ts'

it('exports exactly these names', () => {
  expect(Object.keys(api).toSorted()).toEqual([
    'FieldSets',
    'ProtoError',
    'ProtoWriter',
    'aggregateContainers',
    'createApiTypes',
    'decodeUnknown',
    'encodeUnknown',
    'hasProtoMagic',
    'jsonKinds',
  ])
  expect(Object.keys(openapi).toSorted()).toEqual(['loadDescriptions', 'openAPISchemas', 'toOpenAPIv3'])
})
