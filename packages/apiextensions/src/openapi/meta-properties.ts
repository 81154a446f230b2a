import type { OpenAPIVersion, PublishedSchema } from '@keelson/api/openapi'

/** Properties of a published schema by name. */
export type Properties = ReadonlyMap<string, PublishedSchema>

const conventions = 'More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md'

/** Returns the properties of an embedded resource that replace those of its schema. All texts of this file are those of kube-apiserver. */
export function createEmbeddedProperties(version: OpenAPIVersion): Properties {
  return new Map([
    ['apiVersion', createText(`apiVersion defines the versioned schema of this representation of an object. ${conventions}#resources`)],
    ['kind', createText(`kind is a string value representing the type of this object. In CamelCase. ${conventions}#types-kinds`)],
    ['metadata', createObjectMeta(version)],
  ])
}

/** Returns the properties of a custom resource that replace those of its schema. */
export function createResourceProperties(version: OpenAPIVersion): Properties {
  return new Map([...createTypeMeta(), ['metadata', createObjectMeta(version)]])
}

/** Names of a kind of custom resources. */
export interface KindNames {
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  /** Name of the definition of the kind in OpenAPI documents: "com.example.v1.Widget". */
  readonly definition: string
}

/** Returns the schema of a list, without its extensions. */
export function publishList({ kind, listKind, plural, definition }: KindNames, version: OpenAPIVersion): PublishedSchema {
  const [apiVersion, kindProperty] = createTypeMeta().map(([, property]) => property)
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion,
      items: { description: `List of ${plural}. ${conventions}`, type: 'array', items: createReference(version, definition) },
      kind: kindProperty,
      metadata: createMetaProperty(version, 'ListMeta', `Standard list metadata. ${conventions}#types-kinds`),
    },
  }
}

function createObjectMeta(version: OpenAPIVersion): PublishedSchema {
  return createMetaProperty(version, 'ObjectMeta', `Standard object's metadata. ${conventions}#metadata`)
}

function createTypeMeta(): [string, PublishedSchema][] {
  const object = 'APIVersion defines the versioned schema of this representation of an object.'
  const versions = 'Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values.'
  const resource = 'Kind is a string value representing the REST resource this object represents.'
  const kinds = 'Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase.'
  return [
    ['apiVersion', createText(`${object} ${versions} ${conventions}#resources`)],
    ['kind', createText(`${resource} ${kinds} ${conventions}#types-kinds`)],
  ]
}

function createText(description: string): PublishedSchema {
  return { description, type: 'string' }
}

/** Returns a property with a type of meta/v1. In version 3, a reference may have no sibling, so it is wrapped in `allOf`. */
function createMetaProperty(version: OpenAPIVersion, type: string, description: string): PublishedSchema {
  const target = createReference(version, `io.k8s.apimachinery.pkg.apis.meta.v1.${type}`)
  return version === 2 ? { description, ...target } : { description, allOf: [target] }
}

function createReference(version: OpenAPIVersion, definition: string): PublishedSchema {
  return { $ref: `#/${version === 2 ? 'definitions' : 'components/schemas'}/${definition}` }
}
