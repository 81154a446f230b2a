import { aggregateFieldErrors, appendAll, copyObject, fieldError, fieldErrorMessage, FieldPath } from '@keelson/apimachinery'
import type { FieldErrorList, JsonValue } from '@keelson/apimachinery'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { buildNodes } from './build-nodes.ts'
import { coerceEmbedded, validateEmbedded } from './embedded-resources.ts'
import { pruneFields } from './prune.ts'
import { Flag, has } from './schema-node.ts'
import type { JsonMembers, SchemaNode } from './schema-node.ts'
import { equalValues, printable } from './value-checks.ts'
import { validateValue } from './validate-value.ts'

type Path = FieldPath | undefined

/** A default in a schema. */
export interface SchemaDefault {
  readonly schema: JSONSchemaProps
  readonly value: JsonValue
  /** Path of the default in the definition. */
  readonly path: FieldPath
  /** True if the schema is that of a resource: the outermost schema, or an embedded resource. */
  readonly isResource: boolean
}

export interface DefaultOptions {
  /** True if defaults must not have fields that the schema does not specify. */
  readonly requiresPruned: boolean
  /** Evaluates the rules of the schema for a default that is valid otherwise. */
  readonly validateRules?: (schemaDefault: SchemaDefault) => FieldErrorList
}

/** Validates the defaults of a definition's schema. `path` is the path of the schema in the definition. */
export function validateDefaults(schema: JSONSchemaProps, path: Path, options: DefaultOptions): FieldErrorList {
  const errors: FieldErrorList = []
  const nodes = buildNodes(schema, { isForDefaults: true })
  new DefaultValidation({ nodes, options, errors }).validate(schema, { path, resource: schema, steps: [], isInMetadata: false })
  return errors
}

/** The place of a schema within the closest resource: the outermost one, or an embedded one. */
interface Place {
  readonly path: Path
  readonly resource: JSONSchemaProps
  /** Steps from the resource to the schema: names of fields, or 0 for items of a list. */
  readonly steps: readonly (string | 0)[]
  /** True if the schema is that of apiVersion, kind or metadata of the resource, or within it. */
  readonly isInMetadata: boolean
}

class DefaultValidation {
  readonly #nodes: ReadonlyMap<JSONSchemaProps, SchemaNode>
  readonly #options: DefaultOptions
  readonly #errors: FieldErrorList

  constructor({
    nodes,
    options,
    errors,
  }: {
    nodes: ReadonlyMap<JSONSchemaProps, SchemaNode>
    options: DefaultOptions
    errors: FieldErrorList
  }) {
    this.#nodes = nodes
    this.#options = options
    this.#errors = errors
  }

  /** Validates the default of a schema and those of its items and properties. Additional properties have no defaults. */
  validate(schema: JSONSchemaProps, outer: Place): void {
    const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
    const place: Place = isEmbedded ? { path: outer.path, resource: schema, steps: [], isInMetadata: false } : outer
    if (schema.default !== undefined && schema.default !== null)
      appendAll(this.#errors, this.#validateDefault(schema, schema.default, place))
    const { path, steps, isInMetadata } = place
    if (schema.items !== undefined && !Array.isArray(schema.items)) {
      this.validate(schema.items, { ...place, path: new FieldPath('items', path), steps: [...steps, 0] })
    }
    const propertiesPath = new FieldPath('properties', path)
    for (const name of Object.keys(schema.properties ?? {}).sort()) {
      const isMeta = schema === place.resource && ['metadata', 'apiVersion', 'kind'].includes(name)
      const property = { ...place, path: propertiesPath.key(name), steps: [...steps, name], isInMetadata: isInMetadata || isMeta }
      this.validate(schema.properties![name]!, property)
    }
  }

  #validateDefault(schema: JSONSchemaProps, original: JsonValue, place: Place): FieldErrorList {
    const path = new FieldPath('default', place.path)
    const node = this.#nodes.get(schema)!
    const value = copyObject(original)
    const errors: FieldErrorList = []
    const isUnpruned = !place.isInMetadata && this.#options.requiresPruned && hasUnknownFields(value, node)
    const metadataErrors = place.isInMetadata ? this.#validateInMetadata(value, place, path) : validateMetadataIn(value, node, path)
    // The error prints the default after the conversion of metadata in it, as upstream.
    if (isUnpruned) errors.push(fieldError.invalid(path, printable(value), 'must not have unknown fields'))
    if (metadataErrors.length > 0) return [...errors, ...metadataErrors]
    const invalid = validateValue(node, value, { path })
    if (invalid.length > 0) return [...errors, ...invalid]
    return [...errors, ...(this.#options.validateRules?.({ schema, value, path, isResource: schema === place.resource }) ?? [])]
  }

  /** Validates a default of metadata, or of a field in it, as part of a resource. */
  #validateInMetadata(value: JsonValue, place: Place, path: FieldPath): FieldErrorList {
    const object = surround(copyObject(value), place.steps)
    const node = this.#nodes.get(place.resource)!
    const { error } = coerceEmbedded(object, node, { isResource: true })
    const problem =
      error === undefined ? aggregateFieldErrors(validateEmbedded(object, node, { isResource: true })) : fieldErrorMessage(error)
    return problem === '' ? [] : [fieldError.invalid(path, printable(value), `must result in valid metadata: ${problem}`)]
  }
}

/** Converts the metadata of embedded resources in a default, in place, and validates it. */
function validateMetadataIn(value: JsonValue, node: SchemaNode, path: FieldPath): FieldErrorList {
  const isResource = has(node, Flag.isEmbedded)
  const { error } = coerceEmbedded(value, node, { path, isResource })
  return error === undefined ? validateEmbedded(value, node, { path, isResource }) : [error]
}

function hasUnknownFields(value: JsonValue, node: SchemaNode): boolean {
  const pruned = copyObject(value)
  pruneFields(pruned, node, has(node, Flag.isEmbedded))
  return !equalValues(pruned, value)
}

/** Returns a resource that has only a value, at the end of the steps. */
function surround(value: JsonValue, steps: readonly (string | 0)[]): JsonMembers {
  const object = steps.toReversed().reduce<JsonValue>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), value) as JsonMembers
  return { kind: 'Validation', apiVersion: 'validation/v1', ...object }
}
