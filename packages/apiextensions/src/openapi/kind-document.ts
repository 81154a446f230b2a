import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import type { KindDocument, OpenAPIVersion, PublishedSchema } from '@keelson/api/openapi'
import type { DeepReadonly } from '@keelson/apimachinery'
import { publishList, createResourceProperties } from './meta-properties.ts'
import type { KindNames } from './meta-properties.ts'
import { publishSchema } from './publish-schema.ts'
import type { DefinitionSchema, Paused } from './publish-schema.ts'

export interface KindDocumentOptions {
  /** The definition. Its schemas are not used, so they may be missing. */
  readonly definition: DeepReadonly<CustomResourceDefinition>
  /** The name of the version: "v1". */
  readonly version: string
  /** Reads the schema of the version from the stored definition. Called for each document. */
  readonly load: () => DefinitionSchema | undefined
}

/**
 * Creates the OpenAPI definitions of one version of a custom resource: of its kind and of its list. They are generated from the stored
 * definition for each document. Nothing generated is kept.
 */
export function createKindDocument({ definition, version, load }: KindDocumentOptions): KindDocument {
  const { metadata, spec } = definition
  const { kind, listKind = `${kind}List`, plural } = spec.names
  const prefix = [...spec.group.split('.').reverse(), version].join('.')
  const names: KindNames = { kind, listKind, plural, definition: `${prefix}.${kind}` }
  const createExtensions = (ofKind: string): PublishedSchema => ({
    'x-kubernetes-group-version-kind': [{ group: spec.group, kind: ofKind, version }],
    ...createSelectableFields(definition, version),
  })
  return {
    identity: `${metadata.uid ?? ''},${metadata.generation ?? 0},${version}`,
    definitions: new Map([
      [names.definition, (form) => publishKind(load(), form, createExtensions(kind))],
      [`${prefix}.${listKind}`, (form) => withoutPauses(withExtensions(publishList(names, form), createExtensions(listKind)))],
    ]),
  }
}

/** Returns the schema of a kind. A kind without a schema is any object, and in version 2 so is a kind with unknown fields. */
function* publishKind(schema: DefinitionSchema | undefined, version: OpenAPIVersion, extensions: PublishedSchema): Paused<PublishedSchema> {
  if (schema === undefined || (version === 2 && schema['x-kubernetes-preserve-unknown-fields'] === true)) {
    return { type: 'object', ...extensions }
  }
  return withExtensions(yield* publishSchema(schema, version, createResourceProperties(version)), extensions)
}

/** Adds extensions to a schema. All extensions are at the end and sorted by name. */
function withExtensions(schema: PublishedSchema, added: PublishedSchema): PublishedSchema {
  const members = Object.entries(schema)
  const extensions = [...members.filter(([name]) => name.startsWith('x-')), ...Object.entries(added)]
  return Object.fromEntries([...members.filter(([name]) => !name.startsWith('x-')), ...extensions.sort(([a], [b]) => (a < b ? -1 : 1))])
}

function createSelectableFields({ spec }: DeepReadonly<CustomResourceDefinition>, version: string): PublishedSchema {
  const fields = spec.versions?.find(({ name }) => name === version)?.selectableFields ?? []
  if (fields.length === 0) return {}
  return { 'x-kubernetes-selectable-fields': fields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, '') })) }
}

// eslint-disable-next-line require-yield -- the list of a kind needs no pause
function* withoutPauses<T>(value: T): Paused<T> {
  return value
}
