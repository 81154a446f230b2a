import type { GroupVersion } from '@keelson/apimachinery'
import type { StructSchema } from '@keelson/apimachinery'
import { openAPISchemas } from '@keelson/api/openapi'
import type { DocumentSource } from './openapi-registry.ts'
import { describeParameters } from './describe-parameters.ts'
import { writeJsonPieces } from './json-pieces.ts'
import { addKinds, mergeSwagger } from './merge-swagger.ts'
import type { FindInstalled } from './merge-swagger.ts'
import type { RemoteSwagger } from './remote-swagger.ts'
import type { Component } from './parameters.ts'
import { createReference } from './path-items.ts'
import type { Refer, PathItem } from './path-items.ts'
import type { Descriptions, GenerateDefinition, OpenAPISchema, OpenAPIVersion, PublishedSchema } from '@keelson/api/openapi'

/** The member `info` of the OpenAPI v2 document. */
export const swaggerInfo = { title: 'Kubernetes', version: 'unversioned' }
export const bearerToken = { description: 'Bearer Token authentication', in: 'header', name: 'authorization', type: 'apiKey' }

export interface SwaggerSources {
  readonly sources: readonly DocumentSource[]
  /** Documents of other servers. Those with higher priority come first. */
  readonly remotes: readonly RemoteSwagger[]
  readonly descriptions: Descriptions
}

/** A path or a definition of the OpenAPI v2 document. All paths come before the definitions. */
interface SwaggerPart {
  readonly section: 'paths' | 'definitions'
  readonly name: string
  readonly value: Readonly<Record<string, unknown>>
  /** True if the part may be very large. */
  readonly isCustom?: boolean
}

/**
 * Generates the OpenAPI v2 document, one part at a time. Other work can run in between, and the complete document is never in memory. Yields ""
 * where other work may run before the next part is complete.
 */
export function* generateSwaggerParts({ sources, remotes, descriptions }: SwaggerSources): Generator<SwaggerPart | ''> {
  const roots = new Map<string, StructSchema>()
  const refer: Refer = (schema) => {
    roots.set(schema.definition, schema)
    return createReference(schema.definition)
  }
  const installedPaths = new Set<string>()
  for (const source of sources) {
    for (const path of source.listPaths(refer)) {
      installedPaths.add(path.path)
      yield { section: 'paths', name: path.path, value: toSwaggerPathItem(path, describeParameters(path, descriptions)) }
    }
  }
  const versions = sources.flatMap(({ groupVersion }) => groupVersion ?? [])
  const shared = openAPISchemas(roots.values(), descriptions)
  const convertShared = (name: string): SwaggerSchema => toSwaggerSchema(withGroupVersions(name, shared[name]!, versions))
  const customDefinitions = new Map<string, GenerateDefinition>()
  for (const source of sources) {
    for (const { definitions } of source.listKinds?.() ?? [])
      for (const [name, generate] of definitions) if (!Object.hasOwn(shared, name)) customDefinitions.set(name, generate)
  }
  const findInstalled: FindInstalled = function* (name) {
    if (Object.hasOwn(shared, name)) return convertShared(name)
    const generate = customDefinitions.get(name)
    return generate && (yield* generateDefinition(generate, 2))
  }
  const merged = yield* mergeSwagger(remotes, installedPaths, findInstalled)
  for (const [name, value] of merged.paths) yield { section: 'paths', name, value }
  for (const name of Object.keys(shared)) {
    yield { section: 'definitions', name, value: addKinds(convertShared(name), merged.addedKinds.get(name)) }
  }
  for (const [name, generate] of customDefinitions) {
    const value = addKinds(yield* generateDefinition(generate, 2), merged.addedKinds.get(name))
    yield { section: 'definitions', name, value, isCustom: true }
  }
  for (const [name, value] of merged.definitions)
    yield { section: 'definitions', name, value: addKinds(value, merged.addedKinds.get(name)), isCustom: true }
}

/** Generates a definition. Yields an empty piece where other work may run. */
export function* generateDefinition(generate: GenerateDefinition, version: OpenAPIVersion): Generator<'', PublishedSchema> {
  const steps = generate(version)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    yield ''
  }
}

/** Generates the OpenAPI v2 document of the whole server, in pieces of text. */
export function* generateSwaggerDocument(sources: SwaggerSources): Generator<string> {
  yield `{"swagger":"2.0","info":${JSON.stringify(swaggerInfo)},"paths":{`
  let open = 'paths'
  let separator = ''
  for (const part of generateSwaggerParts(sources)) {
    yield ''
    if (part === '') continue
    const { section, name, value, isCustom } = part
    if (section !== open) {
      yield '},"definitions":{'
      open = section
      separator = ''
    }
    yield `${separator}${JSON.stringify(name)}:`
    if (isCustom === true) yield* writeJsonPieces(value)
    else yield JSON.stringify(value)
    separator = ','
  }
  yield `},"securityDefinitions":{"BearerToken":${JSON.stringify(bearerToken)}},"security":[{"BearerToken":[]}]}`
}

type Members = Readonly<Record<string, unknown>>
interface Content {
  readonly [mediaType: string]: { readonly schema: OpenAPISchema }
}

/** Converts the operations of a path from OpenAPI v3 to v2. In v2, bodies are parameters, and media types are members of the operation. */
function toSwaggerPathItem({ consumes }: PathItem, item: Component): Members {
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(item)) {
    members[name] = name === 'parameters' ? (value as Members[]).map(toSwaggerParameter) : toSwaggerOperation(value as Members, consumes)
  }
  return members
}

function toSwaggerOperation(
  { requestBody, parameters = [], responses, ...others }: Members,
  consumes: readonly string[] = ['*/*'],
): Members {
  const body = requestBody as { readonly content: Content; readonly required?: boolean } | undefined
  const responseEntries = Object.entries(responses as Record<string, { readonly description: string; readonly content?: Content }>)
  const produces = responseEntries.find(([, { content }]) => content !== undefined)?.[1].content
  const allParameters = [...(body === undefined ? [] : [toBodyParameter(body)]), ...(parameters as Members[]).map(toSwaggerParameter)]
  return {
    ...(consumes.length > 0 && { consumes: body === undefined ? consumes : Object.keys(body.content) }),
    produces: Object.keys(produces ?? { '*/*': undefined }),
    schemes: ['https'],
    ...(allParameters.length > 0 && { parameters: allParameters }),
    responses: Object.fromEntries(
      responseEntries.map(([code, { description, content }]) => [
        code,
        { description, ...(content !== undefined && { schema: toSwaggerSchema(readSchema(content)) }) },
      ]),
    ),
    ...others,
  }
}

function toBodyParameter({ content, required }: { readonly content: Content; readonly required?: boolean }): Members {
  return { name: 'body', in: 'body', ...(required && { required }), schema: toSwaggerSchema(readSchema(content)) }
}

function toSwaggerParameter({ schema, ...others }: Members): Members {
  return { ...others, ...(schema as Members) }
}

/** Returns the schema of a body. It is the same for every media type. */
function readSchema(content: Content): OpenAPISchema {
  return Object.values(content)[0]!.schema
}

/** A schema in OpenAPI v2. */
interface SwaggerSchema {
  readonly [member: string]: unknown
}

/**
 * Converts a schema from OpenAPI v3 to v2. v2 has no unions, but allows other keywords next to a reference. Like kube-apiserver's document,
 * the result has no default values, because old clients would send them.
 */
function toSwaggerSchema(schema: OpenAPISchema): SwaggerSchema {
  const { $ref, default: _, allOf, oneOf, items, additionalProperties, properties, ...otherMembers } = schema
  const target = $ref ?? allOf?.[0]?.$ref
  return {
    ...(target !== undefined && { $ref: `#/definitions/${target.slice(target.lastIndexOf('/') + 1)}` }),
    ...(items !== undefined && { items: toSwaggerSchema(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: toSwaggerSchema(additionalProperties) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, toSwaggerSchema(property)])),
    }),
    ...(oneOf !== undefined && { type: 'string' }),
    ...otherMembers,
  }
}

const shared: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions': 'DeleteOptions',
  'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent': 'WatchEvent',
}

/** Adds the extension with all group versions of the document to the schema of a meta/v1 kind that belongs to all of them. */
export function withGroupVersions(definition: string, schema: OpenAPISchema, versions: readonly GroupVersion[]): OpenAPISchema {
  if (!Object.hasOwn(shared, definition)) return schema
  const allVersions = [{ group: '', version: 'v1' }, ...versions.filter(({ group, version }) => group !== '' || version !== 'v1')]
  return {
    ...schema,
    'x-kubernetes-group-version-kind': allVersions.map(({ group, version }) => ({ group, kind: shared[definition]!, version })),
  }
}
