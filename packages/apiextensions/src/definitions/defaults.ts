import type { CustomResourceDefinition, JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { compareUtf8, isJsonObject, setOwn, UndecodedObject } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { visitSchemas } from './subschemas.ts'

const defaultServicePort = 443

/** Sets the defaults of a definition in place. */
export function setDefinitionDefaults(definition: CustomResourceDefinition): void {
  // Decoding sets only the members that the client sent, so a definition may lack its spec.
  const { spec } = definition as { readonly spec?: CustomResourceDefinition['spec'] }
  const { names } = (spec ?? {}) as { readonly names?: CustomResourceDefinition['spec']['names'] }
  if (spec === undefined) return
  if (names !== undefined) {
    if (!names.singular && names.kind) names.singular = names.kind.toLowerCase()
    if (!names.listKind && names.kind) names.listKind = `${names.kind}List`
  }
  spec.conversion ??= { strategy: 'None' }
  const service = spec.conversion.webhook?.clientConfig?.service
  if (service !== undefined) service.port ??= defaultServicePort
  setStoredVersions(definition)
}

/** Sets `status.storedVersions` to the storage version if it is empty. Older definitions lack it. */
function setStoredVersions(definition: CustomResourceDefinition): void {
  if ((definition.status?.storedVersions ?? []).length > 0) return
  const stored = findStorageVersion(definition)
  if (stored === undefined) return
  definition.status = { ...(definition.status ?? newDefinitionStatus()), storedVersions: [stored] }
}

/** Returns the name of the first version that is marked as the storage version. */
export function findStorageVersion({ spec }: CustomResourceDefinition): string | undefined {
  return spec.versions?.find(({ storage }) => storage)?.name
}

/** Creates an empty status. Its lists are null, as in kube-apiserver. */
export function newDefinitionStatus(): NonNullable<CustomResourceDefinition['status']> {
  return { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null }
}

/**
 * Sorts the members of values in schemas (defaults, enums, examples) by name, as kube-apiserver does. Removes `items: null`, which means the
 * same as no items. Changes the definition in place.
 */
export function normalizeSchemas(definition: CustomResourceDefinition): CustomResourceDefinition {
  for (const { schema } of definition.spec.versions ?? []) {
    // An undecoded schema is stored, so it is normalized already.
    if (schema instanceof UndecodedObject || schema?.openAPIV3Schema === undefined) continue
    visitSchemas(schema.openAPIV3Schema, (subschema) => {
      const part = subschema as JSONSchemaProps
      if (part.items === null) delete part.items
      if (part.default !== undefined) part.default = sortMembers(part.default)
      if (part.example !== undefined) part.example = sortMembers(part.example)
      if (part.enum !== undefined) part.enum = part.enum.map(sortMembers)
      return false
    })
  }
  return definition
}

function sortMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (!isJsonObject(value)) return value
  const sorted: JsonObject = {}
  for (const name of Object.keys(value).sort(compareUtf8)) setOwn(sorted, name, sortMembers(value[name]!))
  return sorted
}
