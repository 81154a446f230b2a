import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  JSONSchemaProps,
  SelectableField,
} from '@keelson/api/apiextensions/v1'
import { equalsSemantically, UndecodedObject } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

export type Definition = DeepReadonly<CustomResourceDefinition>
export type Schema = DeepReadonly<JSONSchemaProps>
export type Columns = DeepReadonly<CustomResourceColumnDefinition[]>
export type Selectables = DeepReadonly<SelectableField[]>

/** The fields that kube-apiserver keeps once for all versions if all versions have the same value. */
export interface SharedFields {
  readonly schema?: DeepReadonly<CustomResourceValidation>
  readonly subresources?: DeepReadonly<CustomResourceSubresources>
  readonly columns?: Columns
  readonly selectableFields?: Selectables
}

/** A version of a definition. Its own fields contain only those that differ between versions. */
export interface HubVersion {
  readonly version: DeepReadonly<CustomResourceDefinitionVersion>
  readonly own: SharedFields
}

/**
 * The spec of a definition in the form of kube-apiserver's internal type, which error messages refer to: a field that is equal in all
 * versions belongs to the spec ("spec.validation"), otherwise to the versions ("spec.versions[0].schema").
 */
export interface HubSpec {
  readonly spec: Definition['spec']
  readonly shared: SharedFields
  readonly versions: readonly HubVersion[]
}

export function toHubSpec(spec: Definition['spec']): HubSpec {
  const fields = (spec.versions ?? []).map((version) => ({ version, own: pickSharedFields(version) }))
  const first = fields[0]
  if (first === undefined) return { spec, shared: {}, versions: [] }
  const isShared = {
    schema: fields.every(({ own }) => hasSameSchema(own.schema, first.own.schema)),
    subresources: fields.every(({ own }) => equalsSemantically(own.subresources, first.own.subresources)),
    columns: fields.every(({ own }) => equalsSemantically(own.columns, first.own.columns)),
    selectableFields: fields.every(({ own }) => equalsSemantically(own.selectableFields, first.own.selectableFields)),
  }
  return {
    spec,
    shared: pick(first.own, (name) => isShared[name]),
    versions: fields.map(({ version, own }) => ({ version, own: pick(own, (name) => !isShared[name]) })),
  }
}

/** Returns all schemas of a spec, with the name of the version. The shared schema has no name. */
export function listSchemas({ shared, versions }: HubSpec): readonly Schema[] {
  const namedSchemas = [shared.schema, ...versions.map(({ own }) => own.schema)]
  return namedSchemas.flatMap((validation) => (validation?.openAPIV3Schema === undefined ? [] : [validation.openAPIV3Schema]))
}

/** Returns the schema of a version, or undefined if the version does not exist or has none. */
export function findVersionSchema({ shared, versions }: HubSpec, name: string): SharedFields['schema'] {
  return shared.schema ?? versions.find(({ version }) => version.name === name)?.own.schema
}

/** Compares schemas. Those of the stored definition are compared without being decoded. */
export function hasSameSchema(a: SharedFields['schema'], b: SharedFields['schema']): boolean {
  if (a === b) return true
  if (a instanceof UndecodedObject && b instanceof UndecodedObject) return a.hasSameText(b)
  return equalsSemantically(a, b)
}

/**
 * Decodes the schemas of a spec, so that each read returns the same value. Schemas of a stored definition are otherwise decoded again after a
 * garbage collection.
 */
export function decodeSchemas({ spec, shared, versions }: HubSpec): HubSpec {
  return { spec, shared: decodeSchema(shared), versions: versions.map(({ version, own }) => ({ version, own: decodeSchema(own) })) }
}

function decodeSchema(fields: SharedFields): SharedFields {
  return fields.schema instanceof UndecodedObject ? { ...fields, schema: { ...fields.schema } } : fields
}

function pickSharedFields(version: DeepReadonly<CustomResourceDefinitionVersion>): SharedFields {
  const { schema, subresources, additionalPrinterColumns: columns, selectableFields } = version
  return {
    ...(schema && { schema }),
    ...(subresources && { subresources }),
    ...(columns && { columns }),
    ...(selectableFields && { selectableFields }),
  }
}

function pick(fields: SharedFields, isPicked: (name: keyof SharedFields) => boolean): SharedFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isPicked(name as keyof SharedFields)))
}
