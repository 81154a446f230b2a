import { createApiTypes } from '@keelson/api'
import { apiextensionsV1 } from '@keelson/api/apiextensions/v1'
import type { CustomResourceDefinition, CustomResourceDefinitionVersion, JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { decodeStruct, newInvalid } from '@keelson/apimachinery'
import type { FieldErrorList, JsonObject, RequestContext } from '@keelson/apimachinery'
import { setDefinitionDefaults, normalizeSchemas } from './defaults.ts'
import { definitionStrategy } from './strategy.ts'
import { validateDefinition, validateDefinitionUpdate } from './validate-definition.ts'

const { schema } = createApiTypes([apiextensionsV1]).kind({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
})!
const context = {} as RequestContext

/** Decodes a definition and sets its defaults. */
export function decodeDefinition(body: object): CustomResourceDefinition {
  const definition = decodeStruct(schema, structuredClone(body) as JsonObject).object as unknown as CustomResourceDefinition
  setDefinitionDefaults(definition)
  return normalizeSchemas(definition)
}

/** Returns a valid definition with one version, whose schema has the given properties in `spec`. */
export function createDefinitionWith(
  properties: Readonly<Record<string, JSONSchemaProps>>,
  version: Partial<CustomResourceDefinitionVersion> = {},
): CustomResourceDefinition {
  const openAPIV3Schema: JSONSchemaProps = { type: 'object', properties: { spec: { type: 'object', properties: { ...properties } } } }
  return {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }],
    },
  }
}

/** Returns the message of kube-apiserver's response to a POST of the definition; undefined if it is valid. */
export function refuseNew(body: object): string | undefined {
  const definition = decodeDefinition(body)
  definitionStrategy.prepareForCreate!(context, definition)
  return formatRefusal(definition, validateDefinition(definition))
}

/** Returns the message of kube-apiserver's response to an update from one definition to another; undefined if it is valid. */
export function refuseUpdate(body: CustomResourceDefinition, stored: CustomResourceDefinition): string | undefined {
  const old = decodeDefinition({ ...stored, metadata: { ...stored.metadata, resourceVersion: '1' } })
  const definition = decodeDefinition({ ...body, metadata: { ...body.metadata, resourceVersion: '1' } })
  definitionStrategy.prepareForUpdate!(context, definition, old)
  return formatRefusal(definition, validateDefinitionUpdate(definition, old))
}

function formatRefusal({ metadata }: CustomResourceDefinition, errors: FieldErrorList): string | undefined {
  if (errors.length === 0) return undefined
  return newInvalid({ group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' }, metadata.name ?? '', errors).message
}
