import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath, Task } from '@keelson/apimachinery'
import { buildRuleEnvironments, trimSpace } from '@keelson/cel'
import { compileRuleStepwise } from './compile-rule.ts'
import { CostTotal, describeExcess, maxExpressionCost, multiply } from './estimated-cost.ts'
import { parseRuleFieldPath } from '../definitions/json-path.ts'
import { isEmbeddedResource, getItemSchema, SchemaTypes, getValueSchema } from './schema-type.ts'
import type { Rule, Schema } from './schema-type.ts'
import { SizeLimits } from './size-limits.ts'

export interface RuleValidationOptions {
  /**
   * Returns whether a schema or a schema within it has other errors. The rules of such a schema are not compiled. Default: no schema has
   * errors.
   */
  readonly isInvalid?: (schema: Schema) => boolean
  /** Whether expensive rules are allowed, because the schema has not changed. The limit for the whole schema still applies. Default: false. */
  readonly ignoreExpressionCost?: boolean
}

/**
 * Compiles the rules (`x-kubernetes-validations`) of a definition's schema and estimates their cost. `path` is the path of the schema.
 * Returns the errors after those of `validateRuleFields`. Yields after each expression, because compiling one takes up to a few
 * milliseconds.
 */
export function* validateRules(path: FieldPath, schema: Schema, options: RuleValidationOptions = {}): Task<FieldErrorList> {
  const validation = new RuleValidation(schema, options)
  for (const place of yield* listPlacesWithRules({ path, schema, cardinality: 1n, uncorrelated: undefined })) yield* validation.check(place)
  validation.total.report(path, validation.errors)
  return validation.errors
}

/** A schema within the validated one. */
interface Place {
  readonly path: FieldPath
  readonly schema: Schema
  /** Maximum number of values of this schema in an object; undefined if their number is unlimited. */
  readonly cardinality: bigint | undefined
  /** The path of the outermost list or map whose elements cannot be matched with those of the old object; undefined outside of them. */
  readonly uncorrelated: FieldPath | undefined
}

class RuleValidation {
  readonly errors: FieldErrorList = []
  readonly total: CostTotal = new CostTotal()
  readonly #root: Schema
  readonly #options: RuleValidationOptions
  readonly #limits: SizeLimits
  readonly #types = new SchemaTypes()

  constructor(root: Schema, options: RuleValidationOptions) {
    this.#root = root
    this.#options = options
    this.#limits = new SizeLimits(root)
  }

  /** Checks the rules of one schema. */
  *check({ path, schema, cardinality, uncorrelated }: Place): Task<void> {
    if (this.#options.isInvalid?.(schema) === true) return
    const rules = schema['x-kubernetes-validations']!
    const rulesPath = path.child('x-kubernetes-validations')
    const type = this.#types.of(schema, schema === this.#root || isEmbeddedResource(schema))
    if (!type.isDeclared) {
      const reason = 'unable to convert structural schema to CEL declarations'
      const detail = `internal error: failed to construct type information for x-kubernetes-validations rules: ${reason}`
      this.errors.push(fieldError.internal(rulesPath, detail))
      return
    }
    const environments = buildRuleEnvironments(type)
    const hints = this.#limits.hints(schema)
    for (const [i, rule] of rules.entries()) {
      const at = rulesPath.index(i)
      const compiled = yield* compileRuleStepwise(rule, environments, hints)
      const cost = multiply(compiled.cost ?? 0n, cardinality ?? this.#limits.maxCardinality(schema))
      this.#checkCost(at.child('rule'), cost, 'estimated rule cost')
      if (compiled.problem !== undefined) this.errors.push(fieldError.invalid(at.child('rule'), goRule(rule), compiled.problem))
      if (compiled.messageProblem !== undefined) {
        this.errors.push(fieldError.invalid(at.child('messageExpression'), goRule(rule), compiled.messageProblem))
      } else if (compiled.messageCost !== undefined) {
        this.#checkCost(at.child('messageExpression'), compiled.messageCost, 'estimated messageExpression cost')
      }
      if (compiled.usesOldSelf && uncorrelated !== undefined) {
        const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
        this.errors.push(fieldError.invalid(at.child('rule'), rule.rule, detail))
      } else if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
        const detail = 'may not be set if oldSelf is not used in rule'
        this.errors.push(fieldError.invalid(at.child('optionalOldSelf'), rule.optionalOldSelf, detail))
      }
      yield
    }
  }

  #checkCost(path: FieldPath, cost: bigint, name: string): void {
    if (this.#options.ignoreExpressionCost !== true && cost > maxExpressionCost) {
      this.errors.push(fieldError.forbidden(path, describeExcess(name, cost, maxExpressionCost)))
    }
    this.total.add(path, cost)
  }
}

/** Number of properties that are opened in one step. A schema may have tens of thousands. */
const propertiesPerStep = 500

/** Returns the schemas with rules. Schemas within a schema come before it. Iterative, because schemas may be nested deeply. */
function* listPlacesWithRules(root: Place): Task<readonly Place[]> {
  const open = [root]
  const places: Place[] = []
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    yield
    if ((place.schema['x-kubernetes-validations'] ?? []).length > 0) places.push(place)
    const cardinality = multiplyCardinality(place)
    const { path, schema, uncorrelated } = place
    const values = getValueSchema(schema)
    if (values !== undefined) open.push({ path: path.child('additionalProperties'), schema: values, cardinality, uncorrelated })
    const { properties } = schema
    for (const name in properties) {
      open.push({ path: path.child('properties').key(name), schema: properties[name]!, cardinality, uncorrelated })
      if (open.length % propertiesPerStep === 0) yield
    }
    const items = getItemSchema(schema)
    if (items === undefined) continue
    const isMatched = schema['x-kubernetes-list-type'] === 'map'
    open.push({ path: path.child('items'), schema: items, cardinality, uncorrelated: isMatched ? uncorrelated : (uncorrelated ?? path) })
  }
  return places.reverse()
}

/** Returns the maximum number of values of the schemas within a schema. */
function multiplyCardinality({ schema, cardinality }: Place): bigint | undefined {
  const count =
    schema.type === 'array'
      ? schema.maxItems
      : schema.type === 'object' && schema.additionalProperties !== undefined
        ? schema.maxProperties
        : 1
  return cardinality === undefined || count === undefined ? undefined : multiply(cardinality, BigInt(Math.max(count, 0)))
}

/** Returns a rule as kube-apiserver prints it: as its internal Go struct. */
function goRule({ rule, message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf }: Rule): unknown {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  }
}

const reasons: readonly string[] = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** Validates the fields of a schema's own rules without compiling them. kube-apiserver reports these errors with those of the schema. */
export function validateRuleFields(path: FieldPath, schema: Schema): FieldErrorList {
  const errors: FieldErrorList = []
  for (const [i, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    const at = path.child('x-kubernetes-validations').index(i)
    checkRuleText(at, rule, errors)
    const { messageExpression = '', reason, fieldPath = '' } = rule
    if (messageExpression !== '' && trimSpace(messageExpression) === '') {
      errors.push(fieldError.required(at.child('messageExpression'), 'messageExpression must be non-empty if specified'))
    }
    if (reason !== undefined && !reasons.includes(reason)) errors.push(fieldError.notSupported(at.child('reason'), reason, reasons))
    if (fieldPath === '') continue
    const reportInvalidPath = (detail: string): void => {
      errors.push(fieldError.invalid(at.child('fieldPath'), fieldPath, detail))
    }
    if (trimSpace(fieldPath) === '') reportInvalidPath('must be non-empty if specified')
    if (hasLineBreak(fieldPath)) reportInvalidPath('must not contain line breaks')
    if (parseRuleFieldPath(fieldPath, schema) === undefined) reportInvalidPath('must be a valid path')
  }
  return errors
}

function checkRuleText(at: FieldPath, { rule, message = '' }: Rule, errors: FieldErrorList): void {
  const text = trimSpace(rule)
  const shown = trimSpace(message)
  if (text === '') errors.push(fieldError.required(at.child('rule'), 'rule is not specified'))
  else if (message !== '' && shown === '') errors.push(fieldError.invalid(at.child('message'), message, 'must be non-empty if specified'))
  else if (hasLineBreak(shown)) errors.push(fieldError.invalid(at.child('message'), message, 'must not contain line breaks'))
  else if (hasLineBreak(text) && shown === '') {
    errors.push(fieldError.required(at.child('message'), 'message must be specified if rule contains line breaks'))
  }
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text)
}
