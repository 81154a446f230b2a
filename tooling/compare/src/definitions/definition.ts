import type { JsonObject } from '@keelson/apimachinery'

export interface Version {
  readonly name: string
  readonly schema: JsonObject
  readonly hasStatus: boolean
}

/** The parts of a CustomResourceDefinition that requests for its objects need. */
export interface Definition {
  readonly name: string
  readonly json: string
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly isNamespaced: boolean
  /** Served versions. */
  readonly versions: readonly Version[]
}

interface CustomResourceDefinition {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: { readonly kind: string; readonly plural: string }
    readonly versions: readonly {
      readonly name: string
      readonly served: boolean
      readonly schema?: { readonly openAPIV3Schema?: JsonObject }
      readonly subresources?: { readonly status?: JsonObject }
    }[]
  }
}

export function parseDefinition(json: string): Definition {
  const {
    metadata,
    spec: { group, scope, names, versions },
  } = JSON.parse(json) as CustomResourceDefinition
  return {
    name: metadata.name,
    json,
    group,
    kind: names.kind,
    plural: names.plural,
    isNamespaced: scope === 'Namespaced',
    versions: versions
      .filter(({ served }) => served)
      .map(({ name, schema, subresources }) => ({
        name,
        schema: schema?.openAPIV3Schema ?? {},
        hasStatus: subresources?.status !== undefined,
      })),
  }
}

/** Returns the path of the collection of a definition's objects. */
export function formatCollectionPath({ group, plural, isNamespaced }: Definition, version: string, namespace: string): string {
  return `/apis/${group}/${version}${isNamespaced ? `/namespaces/${namespace}` : ''}/${plural}`
}
