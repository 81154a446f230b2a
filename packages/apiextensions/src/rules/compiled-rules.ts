import { finishTask } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath, JsonValue, Task } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { RuleEvaluation } from './rule-evaluation.ts'
import { buildRuleNodes } from './rule-node.ts'
import type { ExpressionMetrics } from '@keelson/cel'
import type { RuleNode } from './rule-node.ts'
import type { Schema } from './schema-type.ts'

export interface RuleOptions {
  /** Path of the object in errors. Default: none, for the root of an object. */
  readonly path?: FieldPath
  /** Cost that the evaluation may use. Default: `requestCostBudget`. */
  readonly budget?: number
  /**
   * Receives the errors about values that are the same as in the old object. Without it, these errors are reported like all others. Default:
   * none.
   */
  readonly warn?: (text: string) => void
  /** Divides a long evaluation, see `Strategy.runValidation`. Default: the evaluation is not divided. */
  readonly steps?: ValidationSteps | undefined
  readonly metrics?: ExpressionMetrics | undefined
}

/** The errors of rules, and the rest of the budget. The rest is negative if the evaluation was ended early. */
export interface RuleResult {
  readonly errors: FieldErrorList
  readonly remaining: number
}

/**
 * Prepares the rules (`x-kubernetes-validations`) of a schema. Returns undefined if it has none. Each rule is compiled when a value is first
 * validated by it. The result does not refer to the schema.
 *
 * @example
 * const rules = compileRules(schema)
 * const { errors } = rules?.validate(object, old, { warn: (text) => context.warn(text), steps }) ?? { errors: [] }
 */
export function compileRules(schema: Schema, isResourceRoot: boolean = true): CompiledRules | undefined {
  return finishTask(compileRulesStepwise(schema, isResourceRoot))
}

/** Prepares the rules of a schema like `compileRules`. Yields after each schema in it. */
export function* compileRulesStepwise(schema: Schema, isResourceRoot: boolean = true): Task<CompiledRules | undefined> {
  const root = yield* buildRuleNodes(schema, isResourceRoot)
  return root === undefined ? undefined : new CompiledRules(root)
}

/** The rules of a schema. */
export class CompiledRules {
  readonly #root: RuleNode

  constructor(root: RuleNode) {
    this.#root = root
  }

  /**
   * Validates an object. `old` is the object that it replaces; undefined for a new object. If the time of `steps` is used up, the result is
   * incomplete and must be discarded.
   */
  validate(object: unknown, old?: unknown, options: RuleOptions = {}): RuleResult {
    const { steps } = options
    const start = (): RuleEvaluation => this.start(object, old, options)
    const evaluation = steps === undefined ? start() : steps.run(start)
    if (evaluation === undefined) return { errors: [], remaining: 0 }
    for (;;) {
      const isFinished = steps === undefined ? evaluation.advance() : steps.run(() => evaluation.advance())
      if (isFinished !== false) return evaluation
    }
  }

  /** Starts the validation of an object, which the caller continues slice by slice. */
  start(object: unknown, old?: unknown, options: RuleOptions = {}): RuleEvaluation {
    return new RuleEvaluation(this.#root, { ...options, object: object as JsonValue, old: old as JsonValue | undefined })
  }
}
