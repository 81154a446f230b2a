import { expect, it } from 'vitest'
import type { Answer } from '../play/server.ts'
import { withoutIntendedDifferences } from './openapi-document.ts'

it('completes shared parameters, and removes descriptions of parameters and built-in types', () => {
  const builtin = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
  const body = {
    parameters: { 'limit-1': { name: 'limit', in: 'query', description: 'x' }, 'shard-1': { name: 'shardSelector', in: 'query' } },
    paths: { '/a': { get: { description: 'kept' }, parameters: [{ $ref: '#/parameters/limit-1' }, { $ref: '#/parameters/shard-1' }] } },
    definitions: {
      [builtin]: { description: 'x', 'x-kubernetes-group-version-kind': [{ version: 'v1' }, { version: 'v2' }] },
      'com.example.v1.Widget': { description: 'kept', properties: { description: { type: 'string' } } },
    },
  }
  expect(withoutIntendedDifferences({ code: 200, body } as unknown as Answer).body).toEqual({
    parameters: body.parameters,
    paths: { '/a': { get: { description: 'kept' }, parameters: [{ name: 'limit', in: 'query' }] } },
    definitions: { ...body.definitions, [builtin]: { 'x-kubernetes-group-version-kind': [{ version: 'v1' }] } },
  })
})
