import type { FieldErrorList, JsonObject, Task } from '@keelson/apimachinery'
import { newFieldPath } from '@keelson/apimachinery'
import { buildNode, buildNodeStepwise } from './build-nodes.ts'
import type { ValidationSteps } from '@keelson/registry'
import type { Schema } from '../rules/schema-type.ts'
import { coerceEmbedded, validateEmbedded } from './embedded-resources.ts'
import type { Coercion, CoercionOptions } from './embedded-resources.ts'
import { validateKeyedLists } from './list-types.ts'
import { pruneFields, pruneNulls } from './prune.ts'
import type { NullOptions } from './prune.ts'
import type { SchemaNode } from './schema-node.ts'
import { setDefaults } from './set-defaults.ts'
import { validateValue, withDepthLimit } from './validate-value.ts'

/**
 * Compiles the schema of one version of a definition. The result does not refer to the schema, and is much smaller.
 *
 * @example
 * const schema = compileSchema({ type: 'object', properties: { size: { type: 'integer', default: 1 } } })
 * const object = { size: null, color: 'red' }
 * schema.prune(object) // ['color']
 * schema.setDefaults(object) // { size: 1 }
 * schema.validate(object) // []
 */
export function compileSchema(schema: Schema): CompiledSchema {
  return new StructuralSchema(buildNode(schema))
}

/** Compiles a schema like `compileSchema`. Yields after small parts of the work. */
export function* compileSchemaStepwise(schema: Schema): Task<CompiledSchema> {
  return new StructuralSchema(yield* buildNodeStepwise(schema))
}

export interface ValidateOptions {
  /** Divides a long validation, see `Strategy.runValidation`. If its time is used up, the result is incomplete and must be discarded. */
  readonly steps?: ValidationSteps | undefined
}

/**
 * The operations of one version's schema on objects. `prune` comes first when an object is decoded, then `coerceEmbedded` and `setDefaults`. All
 * of them throw a 400 for objects that are nested too deeply.
 */
export interface CompiledSchema {
  /**
   * Removes fields that the schema does not specify, and nulls of fields that are neither nullable nor have a default. Returns the sorted paths
   * of the unspecified fields, such as `spec.items[0].name`, at most 1,000. With `keepsInvalidNulls`,
   * keeps nulls of fields with a type.
   */
  prune(object: JsonObject, options?: NullOptions): readonly string[]
  /** Converts the metadata of embedded resources to the canonical form. The paths of unknown fields in it are not among those of `prune`. */
  coerceEmbedded(object: JsonObject, options?: CoercionOptions): Coercion
  /** Throws a 413 if the defaults are larger than the body of a request may be. */
  setDefaults(object: JsonObject): void
  /**
   * Validates an object, which must have its apiVersion and kind. With `old`, accepts invalid values that the update does not change
   * (CRDValidationRatcheting).
   */
  validate(object: JsonObject, old?: JsonObject, options?: ValidateOptions): FieldErrorList
  /** Validates the member `status` of an object in the same way. */
  validateStatus(object: JsonObject, old?: JsonObject, options?: ValidateOptions): FieldErrorList
  /** Finds duplicates in lists of type set and map. With `old`, finds none if `old` has duplicates too. */
  validateListTypes(object: JsonObject, old?: JsonObject): FieldErrorList
  validateEmbedded(object: JsonObject): FieldErrorList
}

class StructuralSchema implements CompiledSchema {
  readonly #root: SchemaNode

  constructor(root: SchemaNode) {
    this.#root = root
  }

  prune(object: JsonObject, options?: NullOptions): readonly string[] {
    return withDepthLimit(() => {
      const paths = pruneFields(object, this.#root, true)
      pruneNulls(object, this.#root, options)
      return paths
    })
  }

  coerceEmbedded(object: JsonObject, options?: CoercionOptions): Coercion {
    return withDepthLimit(() => coerceEmbedded(object, this.#root, options))
  }

  setDefaults(object: JsonObject): void {
    withDepthLimit(() => setDefaults(object, this.#root))
  }

  validate(object: JsonObject, old?: JsonObject, { steps }: ValidateOptions = {}): FieldErrorList {
    return validateValue(this.#root, object, { old, steps })
  }

  validateStatus(object: JsonObject, old?: JsonObject, { steps }: ValidateOptions = {}): FieldErrorList {
    const node = this.#root.properties?.get('status')
    const { status } = object
    if (node === undefined || status === undefined) return []
    return validateValue(node, status, { old: old === undefined ? undefined : (old['status'] ?? null), path: statusPath, steps })
  }

  validateListTypes(object: JsonObject, old?: JsonObject): FieldErrorList {
    return withDepthLimit(() => {
      const errors = validateKeyedLists(this.#root, object, undefined)
      if (errors.length === 0 || old === undefined) return errors
      return validateKeyedLists(this.#root, old, undefined).length === 0 ? errors : []
    })
  }

  validateEmbedded(object: JsonObject): FieldErrorList {
    return withDepthLimit(() => validateEmbedded(object, this.#root))
  }
}

const statusPath = newFieldPath('status')
