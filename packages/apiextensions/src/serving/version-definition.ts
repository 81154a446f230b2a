import type { CustomResourceDefinition, CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from '@keelson/api/apiextensions/v1'
import { compareVersions, newForbidden } from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind, KubeObject } from '@keelson/apimachinery'
import type { OtherVersions, ResourceDefinition } from '@keelson/registry'
import { createColumns } from './columns.ts'
import { compileJsonPath } from './json-path.ts'
import type { JsonPath } from './json-path.ts'
import type { ScalePaths } from './scale.ts'
import { createCustomStatusStrategy, createCustomStrategy } from './strategy.ts'
import type { VersionSchema } from './version-schema.ts'
import { toText } from './columns.ts'

/** A definition without the schemas of its versions. */
export type DefinitionOutline = DeepReadonly<CustomResourceDefinition>
export type OutlineVersion = DeepReadonly<CustomResourceDefinitionVersion>

/** One version of a definition with its compiled schema and rules. */
export interface CompiledVersion {
  readonly gvk: GroupVersionKind
  readonly outline: OutlineVersion
  readonly schema: VersionSchema
  readonly scale: ScalePaths | undefined
}

/** Creates the resource definition of one version. All versions have the same storage. */
export function defineCustomResource(
  definition: DefinitionOutline,
  { gvk, outline, schema, scale }: CompiledVersion,
  otherVersions: OtherVersions,
): ResourceDefinition {
  const { group, scope } = definition.spec
  const versions = definition.spec.versions ?? []
  const names = definition.status!.acceptedNames
  const namespaced = scope === 'Namespaced'
  const hasStatus = outline.subresources?.status !== undefined
  const rules = { namespaced, schema, hasStatus, scale }
  return {
    ...gvk,
    plural: names.plural,
    singular: names.singular ?? '',
    listKind: names.listKind ?? `${gvk.kind}List`,
    isCustom: true,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    otherVersions,
    setDefaults: (object) => schema.setDefaults(object),
    strategy: createCustomStrategy(rules),
    ...(hasStatus && { subresources: { status: createCustomStatusStrategy(rules) } }),
    selectableFields: createSelectableFields(outline.selectableFields),
    allColumns: createColumns(outline.additionalPrinterColumns),
    storage: { version: versions.find(({ storage }) => storage)!.name, prefix: `${group}/${names.plural}` },
    ...(outline.deprecated === true && { deprecation: outline.deprecationWarning ?? describeDeprecation(definition.spec, outline.name) }),
  }
}

/** Returns the functions that read the selectable fields of an object. */
export function createSelectableFields(fields: OutlineVersion['selectableFields']): NonNullable<ResourceDefinition['selectableFields']> {
  return Object.fromEntries(
    (fields ?? []).map(({ jsonPath }) => {
      let path: JsonPath | undefined
      const read = (object: DeepReadonly<KubeObject>): string => {
        path ??= compileJsonPath(jsonPath)
        const [value = null] = path.find(object)
        return value === null ? '' : toText(value)
      }
      return [jsonPath.replace(/^\./, ''), read]
    }),
  )
}

/** Returns kube-apiserver's warning about a deprecated version. It recommends the newest version that is newer and not deprecated. */
function describeDeprecation({ group, names, versions }: DeepReadonly<CustomResourceDefinitionSpec>, version: string): string {
  const [replacement] = (versions ?? [])
    .filter(({ name, served, deprecated }) => served && deprecated !== true && compareVersions(name, version) < 0)
    .map(({ name }) => name)
    .sort(compareVersions)
  const instead = replacement === undefined ? '' : `; use ${group}/${replacement} ${names.kind}`
  return `${group}/${version} ${names.kind} is deprecated${instead}`
}

/** Throws the error for creating an object while its definition is being deleted. */
export function refuseCreation({ spec, status }: DefinitionOutline, name: string): never {
  const resource = { group: spec.group, resource: status!.acceptedNames.plural }
  throw newForbidden(resource, name, 'create not allowed while custom resource definition is terminating')
}
