import { newBadRequest } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath, JsonValue } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { runOnce, runTask } from '../definitions/tasks.ts'
import { accepts } from './accepts.ts'
import { CorrelatedValue } from './correlated-value.ts'
import { explain } from './explain.ts'
import type { SchemaNode } from './schema-node.ts'

export interface ValidationOptions {
  /** The old value of an update. Problems of unchanged parts are forgiven. */
  readonly old?: JsonValue | undefined
  /** Path of the value in errors. */
  readonly path?: FieldPath
  /** Divides a long validation, see `Strategy.runValidation`. By default, the validation is not divided. */
  readonly steps?: ValidationSteps | undefined
}

/**
 * Validates a value. Does the slow search for error messages only if the value is invalid, or if validating it without a pause could take too
 * long. If the time of `steps` is used up, the result is incomplete and must be discarded.
 */
export function validateValue(node: SchemaNode, value: JsonValue, { old, path, steps }: ValidationOptions = {}): FieldErrorList {
  return withDepthLimit(() => {
    const isAccepted = runOnce(steps, () => accepts(node, value))
    if (isAccepted !== false) return []
    const correlated = old === undefined ? undefined : new CorrelatedValue(node, value, old)
    return runTask(steps, () => explain(node, value, { path: '', old: correlated }))?.toErrors(path) ?? []
  })
}

/** Runs a recursive function. Throws a 400 if the values are nested too deeply. */
export function withDepthLimit<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError) throw newBadRequest('the object is nested too deeply', { cause: error })
    throw error
  }
}
