import { loadDescriptions } from '@keelson/api/openapi'
import { expect, it } from 'vitest'
import { generateSwaggerDocument } from './swagger-document.ts'
import { generateSwaggerMessage } from './swagger-message.ts'
import { readRemoteSwagger } from './remote-swagger.ts'
import type { RemoteSwagger } from './remote-swagger.ts'

const descriptions = await loadDescriptions()
const prefix = '/apis/wardle.example.com/v1/'
const read = (document: unknown, pathPrefix = prefix): Promise<RemoteSwagger> =>
  readRemoteSwagger(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)), pathPrefix)

const createGet = (definition: string): object => ({
  get: {
    operationId: 'x',
    parameters: [{ $ref: '#/parameters/name-1' }, { name: 'pretty', in: 'query', type: 'string', uniqueItems: true }],
    responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${definition}` } } },
  },
})
const createDocument = (definitions: object): object => ({
  swagger: '2.0',
  info: { title: 'a "quoted" title', version: 'v1' },
  paths: { '/version/': createGet('Version'), [`${prefix}a/{name}`]: createGet('A') },
  definitions,
  parameters: { 'name-1': { name: 'name', in: 'path', type: 'string', required: true } },
  security: [{ BearerToken: [] }],
})
const definitions = {
  A: { type: 'object', properties: { b: { $ref: '#/definitions/B' }, braces: { type: 'string', description: 'a \\ "}{" b' } } },
  B: { type: 'object', 'x-kubernetes-group-version-kind': [{ group: 'a', kind: 'B', version: 'v1' }] },
  Unused: { type: 'string' },
  Version: { type: 'object' },
}

function generateJson(remotes: readonly RemoteSwagger[]): {
  readonly paths: Record<string, object>
  readonly definitions: Record<string, object>
} {
  return JSON.parse([...generateSwaggerDocument({ sources: [], remotes, descriptions })].join('')) as ReturnType<typeof generateJson>
}

it('keeps the paths of the group version and the definitions that they need', async () => {
  const merged = generateJson([await read(createDocument(definitions))])
  const parameter = { name: 'name', in: 'path', type: 'string', required: true }
  expect(Object.keys(merged.paths)).toEqual([`${prefix}a/{name}`])
  expect(merged.paths[`${prefix}a/{name}`]).toMatchObject({ get: { parameters: [parameter, { name: 'pretty' }] } })
  expect(merged.definitions).toEqual({ A: definitions.A, B: definitions.B, Unused: definitions.Unused })
})

it('renames definitions that differ, and adds kinds to those that do not', async () => {
  const otherPrefix = '/apis/other.example.com/v1/'
  const other = {
    ...createDocument({
      A: { type: 'object', description: 'another', properties: { a: { $ref: '#/definitions/A' }, b: { $ref: '#/definitions/B' } } },
      A_v2: { type: 'integer' },
      B: { type: 'object', 'x-kubernetes-group-version-kind': [{ group: 'b', kind: 'B', version: 'v1' }] },
    }),
    paths: { [`${otherPrefix}a`]: createGet('A'), [`${prefix}a/{name}`]: createGet('B') },
  }
  const remotes = [await read(createDocument(definitions)), await read(other, otherPrefix), await read(other)]
  const merged = generateJson(remotes)
  expect(merged.definitions).toEqual({
    ...definitions,
    Version: undefined,
    A_v2: { type: 'integer' },
    A_v3: { type: 'object', description: 'another', properties: { a: { $ref: '#/definitions/A_v3' }, b: { $ref: '#/definitions/B' } } },
    B: {
      type: 'object',
      'x-kubernetes-group-version-kind': [
        { group: 'a', kind: 'B', version: 'v1' },
        { group: 'b', kind: 'B', version: 'v1' },
      ],
    },
  })
  expect(JSON.stringify(merged.paths[`${otherPrefix}a`])).toContain('#/definitions/A_v3')
  expect(JSON.stringify(merged.paths[`${prefix}a/{name}`])).toContain('#/definitions/A"')
  const message = Buffer.concat([...generateSwaggerMessage({ sources: [], remotes, descriptions })]).toString('latin1')
  for (const text of [`${otherPrefix}a`, 'A_v3', 'another']) expect(message).toContain(text)
})

it.each([
  ['no object', '[1, 2]', /no JSON object/],
  ['a part of a document', '{"paths":{"/a":{"get":', /no JSON object/],
  ['an open string', '{"paths":{"/a', /not complete/],
  ['values that are no JSON', '{"paths":{"/a":{x}}}', /JSON/],
  ['deep nesting', `{"definitions":{"A":${'{"items":'.repeat(500)}`, /nested more than/],
  ['a large definition', { definitions: { A: { enum: Array.from({ length: 300_000 }, () => 1) } } }, /larger than/],
  ['a large string', { definitions: { A: { description: 'x'.repeat(2 ** 19) } } }, /larger than/],
  ['a definition that is a text', { definitions: { A: 'x' } }, /invalid definition/],
  ['a wrong member', { definitions: { A: { properties: { a: { required: 'a' } } } } }, /invalid definition/],
  ['wrong operations', { paths: { '/a': { get: [] } } }, /invalid path item/],
  ['wrong parameters', { paths: { '/a': { parameters: [{ in: {}, name: 'a' }] } } }, /invalid path item/],
  ['an unknown parameter', { paths: { '/a': { parameters: [{ $ref: '#/parameters/toString' }] } } }, /unknown parameter/],
])('refuses %s', async (_name, document, message) => {
  await expect(read(document)).rejects.toThrow(message)
})
