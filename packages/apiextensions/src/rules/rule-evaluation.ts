import { measureUtf8Bytes, equalsJson, formatFieldError, newFieldPath, isJsonObject, quote } from '@keelson/apimachinery'
import type { FieldError, FieldErrorList, FieldErrorType, FieldPath, JsonValue, Task } from '@keelson/apimachinery'
import { CelError, Optional, outOfBudget, readBySchema, trimSpace } from '@keelson/cel'
import type { Activation, Evaluation, ExpressionMetrics, Program, Value } from '@keelson/cel'
import { isUnchanged, OldElements } from './old-value.ts'
import type { ReadyRule, RuleNode } from './rule-node.ts'
import type { Rule } from './schema-type.ts'

interface RuleInput {
  readonly object: JsonValue
  readonly old: JsonValue | undefined
  readonly path?: FieldPath
  readonly budget?: number
  readonly warn?: (text: string) => void
  readonly metrics?: ExpressionMetrics | undefined
}

/** A value whose rules are being evaluated, and the position within its node. */
interface Frame {
  readonly node: RuleNode
  readonly value: JsonValue
  /** The value in the old object; undefined if there is none that can be matched. */
  readonly old: JsonValue | undefined
  /** The innermost list that can be matched, if only its elements cannot. Rules need not hold for elements of an unchanged list. */
  readonly list: ListChange | undefined
  readonly parent: Frame | undefined
  /** Last step of the value's path: a property, a list index, or the key of a map in brackets. */
  readonly step: string | number
  readonly isKey: boolean
  /** Keys of a map; undefined if the node has no rules for the values of a map. */
  readonly keys: readonly string[] | undefined
  oldElements: OldElements | undefined
  activation: Activation | undefined
  /** Number of rules and children that are done. */
  done: number
}

interface ListChange {
  readonly value: JsonValue
  readonly old: JsonValue
}

/** Number of milliseconds after which `advance` returns. It is half of a time slice, because a single expression may take the other half. */
const sliceMilliseconds = 2.5
/** Cost between two reads of the clock. */
const costPerClockRead = 1000
/** Cost that one value or rule counts for, in addition to the cost of its expressions. */
const baseCost = 5
/** Maximum number of reported errors. kube-apiserver has no limit, but one request could cause millions of errors. */
const maxErrors = 1000
/** kube-apiserver's cost budget for all rules of one request. */
export const requestCostBudget = 10_000_000

/**
 * The evaluation of all rules for an object. `advance` runs it slice by slice. The state is on an explicit stack, so that the evaluation can
 * pause at every value and within every expression.
 */
export class RuleEvaluation {
  readonly errors: FieldErrorList = []
  /** The rest of the budget; negative if the evaluation was ended early. */
  remaining: number
  readonly #input: RuleInput
  readonly #stack: Frame[] = []
  /** Continues the current expression; undefined between expressions. */
  #continue: (() => Evaluation | undefined) | undefined
  /** Processes the result of the current expression. */
  #then: ((evaluation: Evaluation) => void) | undefined
  /** Compiles the next rule or message expression; undefined if there is none to compile. */
  #compiling: Task<unknown> | undefined
  #thenEvaluate: (() => void) | undefined
  #compileMilliseconds = 0
  #work = 0
  readonly #startTime = performance.now()

  constructor(root: RuleNode, input: RuleInput) {
    this.#input = input
    this.remaining = input.budget ?? requestCostBudget
    if (input.object !== null) this.#stack.push(newFrame(root, input.object, input.old ?? undefined))
  }

  /** Evaluates rules until the end of a time slice. Returns true when all rules have been evaluated. */
  advance(): boolean {
    let end = 0
    this.#work = 0
    for (;;) {
      if (this.#continue !== undefined) {
        const evaluation = this.#continue()
        if (evaluation === undefined) return false
        this.#continue = undefined
        this.#then!(evaluation)
        // The rule does not hold, and its message expression takes long, too.
        if (this.#continue !== undefined) return false
      }
      if (this.#compiling === undefined) {
        const frame = this.#stack.at(-1)
        if (frame === undefined) {
          this.#input.metrics?.recordEvaluation((performance.now() - this.#startTime) / 1000)
          return true
        }
        this.#advanceFrame(frame)
      } else if (this.#advanceCompiling(this.#compiling) >= sliceMilliseconds) return false
      if (this.#continue !== undefined) return false
      if (this.#work < costPerClockRead) continue
      this.#work = 0
      const now = performance.now()
      if (end === 0) end = now + sliceMilliseconds
      else if (now >= end) return false
    }
  }

  /** Runs the next step of compiling. Returns how many milliseconds the step took. */
  #advanceCompiling(task: Task<unknown>): number {
    this.#work += costPerClockRead
    const startTime = performance.now()
    const { done } = task.next()
    const took = performance.now() - startTime
    this.#compileMilliseconds += took
    if (done !== true) return took
    this.#compiling = undefined
    this.#thenEvaluate!()
    return took
  }

  /** Compiles a rule or message expression, in later slices if it takes long. Then calls `thenEvaluate`. */
  #compile(task: Task<unknown>, thenEvaluate: () => void): void {
    this.#compiling = task
    this.#compileMilliseconds = 0
    this.#thenEvaluate = thenEvaluate
  }

  #compileRule(frame: Frame, index: number): void {
    this.#compile(frame.node.compileRule(index), () => {
      this.#input.metrics?.recordCompilation(this.#compileMilliseconds / 1000)
      this.#evaluate(frame, index)
    })
  }

  /** Evaluates the next rule of a value, or starts with the next value within it. */
  #advanceFrame(frame: Frame): void {
    this.#work += baseCost
    const { node } = frame
    const index = frame.done++
    if (index < node.size) this.#evaluate(frame, index)
    else if (!this.#pushChild(frame, index - node.size)) this.#stack.pop()
  }

  /** Starts with a value within a value. Returns false if there is none left. */
  #pushChild(frame: Frame, index: number): boolean {
    const { value, node, keys } = frame
    if (Array.isArray(value)) return this.#pushElement(frame, value, index)
    if (!isJsonObject(value)) return false
    const keyCount = keys?.length ?? 0
    const property = index < keyCount ? undefined : node.below.properties[index - keyCount]
    if (index >= keyCount && property === undefined) return false
    const name = property === undefined ? keys![index]! : property[0]
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (member === null || member === undefined) return true
    const old = isJsonObject(frame.old) && Object.hasOwn(frame.old, name) ? frame.old[name] : undefined
    const list = frame.old === undefined ? frame.list : undefined
    this.#stack.push(
      newFrame(property?.[1] ?? node.below.values!, member, old, { parent: frame, step: name, isKey: property === undefined, list }),
    )
    return true
  }

  #pushElement(frame: Frame, list: readonly JsonValue[], index: number): boolean {
    const { items } = frame.node.below
    const element = list[index]
    if (items === undefined || index >= list.length) return false
    if (element === null || element === undefined) return true
    const isMatched = frame.node.listKeys !== undefined && Array.isArray(frame.old)
    if (isMatched) frame.oldElements ??= new OldElements(frame.old, frame.node.listKeys)
    const old = isMatched ? frame.oldElements!.find(element) : undefined
    const change =
      frame.old === undefined ? frame.list : frame.node.listKeys === undefined ? { value: frame.value, old: frame.old } : undefined
    this.#stack.push(newFrame(items, element, old, { parent: frame, step: index, isKey: true, list: change }))
    return true
  }

  #evaluate(frame: Frame, index: number): void {
    if (this.remaining <= 0) return this.#end(frame, outOfBudget)
    if (!frame.node.isCompiled(index)) return this.#compileRule(frame, index)
    const ready = frame.node.rule(index)
    if (ready.problem !== undefined) this.#report(frame, `rule compile error: ${ready.problem}`)
    if (ready.program === undefined) return
    if (ready.usesOldSelf && (frame.old ?? null) === null && ready.rule.optionalOldSelf !== true) return
    this.#run(ready.program, createActivation(frame, ready), (evaluation) => {
      this.#finishRule(frame, index, evaluation)
    })
  }

  /** Evaluates an expression and passes the result to `then`, in a later slice if it takes long. */
  #run(program: Program, activation: Activation, then: (evaluation: Evaluation) => void): void {
    const evaluation = program.evaluateInSlices(activation)
    if (typeof evaluation !== 'function') return then(evaluation)
    this.#continue = evaluation
    this.#then = then
  }

  #finishRule(frame: Frame, index: number, { value, cost }: Evaluation): void {
    const ready = frame.node.rule(index)
    this.#work += cost
    if (cost > this.remaining) return this.#end(frame, outOfBudget)
    this.remaining -= cost
    if (value === true) return
    if (value instanceof CelError) return this.#reportFailure(frame, ready.rule, value.message)
    if (frame.node.isMessageCompiled(index)) this.#reportWithMessage(frame, index)
    else this.#compile(frame.node.compileMessage(index), () => this.#reportWithMessage(frame, index))
  }

  #reportWithMessage(frame: Frame, index: number): void {
    const ready = frame.node.rule(index)
    const message = frame.node.message(index)
    if (message === undefined) this.#reportViolation(frame, ready, undefined)
    else {
      this.#run(message, createPlainActivation(frame), (evaluation) => {
        this.#finishMessage(frame, ready, evaluation)
      })
    }
  }

  #finishMessage(frame: Frame, ready: ReadyRule, { value, cost }: Evaluation): void {
    this.#work += cost
    if (cost > this.remaining) return this.#endWithMessage(frame, ready, outOfMessageBudget)
    if (value instanceof CelError && value.message.startsWith(costLimitExceeded)) {
      const text = quote(ready.rule.messageExpression!)
      return this.#endWithMessage(
        frame,
        ready,
        `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${text}`,
      )
    }
    this.remaining -= cost
    this.#reportViolation(frame, ready, readMessage(value))
  }

  #endWithMessage(frame: Frame, ready: ReadyRule, detail: string): void {
    this.#add(frame, ready, newError('FieldValueInvalid', this.#buildPath(frame, ready), frame.node.typeName, detail))
    this.#stop()
  }

  /** Reports a rule that could not be evaluated. */
  #reportFailure(frame: Frame, rule: Rule, problem: string): void {
    const shown = describeRule(rule)
    if (problem.startsWith('no such overload')) {
      const detail = `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
      return this.#report(frame, detail)
    }
    if (!problem.startsWith(costLimitExceeded)) return this.#report(frame, `${problem} evaluating rule: ${shown}`)
    this.#end(frame, `'${problem}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`)
  }

  /** Reports a rule that does not hold. */
  #reportViolation(frame: Frame, ready: ReadyRule, message: string | undefined): void {
    const { rule } = ready
    const detail =
      message ?? (rule.message === undefined || rule.message === '' ? `failed rule: ${describeRule(rule)}` : trimSpace(rule.message))
    const { typeName } = frame.node
    const value = typeName === 'object' || typeName === 'array' ? undefined : frame.value
    this.#add(frame, ready, newError(decideErrorType(rule.reason), this.#buildPath(frame, ready), value, detail))
  }

  /** Adds an error, or warns about it if the value has not changed. Rules that compare with the old value must always hold. */
  #add(frame: Frame, { usesOldSelf }: ReadyRule, error: FieldError): void {
    if (!usesOldSelf && this.#input.warn !== undefined && isFrameUnchanged(frame)) this.#input.warn(formatFieldError(error))
    else this.#push(error)
  }

  #report(frame: Frame, detail: string): void {
    this.#push(newError('FieldValueInvalid', this.#buildPath(frame), frame.node.typeName, detail))
  }

  #push(error: FieldError): void {
    this.errors.push(error)
    if (this.errors.length < maxErrors) return
    this.errors.push(newError('FieldValueTooMany', undefined, undefined, `validation ended after ${maxErrors} errors`))
    this.#stop()
  }

  /** Reports an error after which no other rule is evaluated. */
  #end(frame: Frame, detail: string): void {
    this.#report(frame, detail)
    this.#stop()
  }

  #stop(): void {
    this.#stack.length = 0
    this.remaining = -1
  }

  #buildPath(frame: Frame, ready?: ReadyRule): FieldPath | undefined {
    const path = createFramePath(frame, this.#input.path)
    const field = ready?.rule.fieldPath
    return field === undefined ? path : (path?.child(field) ?? newFieldPath(field))
  }
}

const costLimitExceeded = 'operation cancelled: actual cost limit exceeded'
const outOfMessageBudget = 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'

function newFrame(
  node: RuleNode,
  value: JsonValue,
  old: JsonValue | undefined,
  place: Pick<Frame, 'parent' | 'step' | 'isKey' | 'list'> = { parent: undefined, step: '', isKey: false, list: undefined },
): Frame {
  const keys = node.below.values !== undefined && isJsonObject(value) ? Object.keys(value) : undefined
  return { node, value, old, ...place, keys, oldElements: undefined, activation: undefined, done: 0 }
}

/** Returns the path of a value. `root` is the path of the validated object. */
function createFramePath({ parent, step, isKey }: Frame, root: FieldPath | undefined): FieldPath | undefined {
  if (parent === undefined) return root
  const path = createFramePath(parent, root)
  if (typeof step === 'number') return (path ?? newFieldPath()).index(step)
  if (isKey) return (path ?? newFieldPath()).key(step)
  return path?.child(step) ?? newFieldPath(step)
}

/** Returns the variables of a node's message expressions. Only the expressions of a node whose rules use `oldSelf` can read it. */
function createPlainActivation(frame: Frame): Activation {
  const { node, value, old = null } = frame
  if (frame.activation !== undefined) return frame.activation
  const self = readBySchema(value, node.type!)
  frame.activation = old === null || !node.usesOldSelf ? { self } : { self, oldSelf: readBySchema(old, node.type!) }
  return frame.activation
}

/** Returns the variables of a rule. An optional `oldSelf` exists only in rules: in message expressions it is never optional. */
function createActivation(frame: Frame, { rule }: ReadyRule): Activation {
  const plain = createPlainActivation(frame)
  return rule.optionalOldSelf === true && frame.node.usesOldSelf
    ? { self: plain['self'], oldSelf: new Optional(plain['oldSelf'] as Value | undefined) }
    : plain
}

/** Returns whether a value, or a list that contains it, is the same as in the old object. */
function isFrameUnchanged({ node, value, old, list, parent, step }: Frame): boolean {
  // Changes of the version and the kind are invisible, because both objects were converted to the version of the request.
  if (parent !== undefined && parent.parent === undefined && (step === 'apiVersion' || step === 'kind')) return false
  if (old !== undefined) return isUnchanged(value, old, node.type!)
  return list !== undefined && equalsJson(list.value, list.old)
}

function newError(type: FieldErrorType, path: FieldPath | undefined, badValue: unknown, detail: string): FieldError {
  return { type, field: path?.toString() ?? '<nil>', badValue, detail }
}

function decideErrorType(reason: string | undefined): FieldErrorType {
  switch (reason) {
    case 'FieldValueForbidden':
    case 'FieldValueRequired':
    case 'FieldValueDuplicate':
      return reason
    default:
      return 'FieldValueInvalid'
  }
}

/** Returns the text by which messages refer to a rule. */
function describeRule({ rule, message }: Rule): string {
  return trimSpace(message === undefined || message === '' ? rule : message)
}

/** Maximum length of the result of a message expression, in bytes. */
const maxMessageBytes = 5 * 1024

/** Returns the result of a message expression; undefined if it is not a usable message. */
function readMessage(value: Value): string | undefined {
  const message = typeof value === 'string' ? trimSpace(value) : ''
  return message === '' || measureUtf8Bytes(message) > maxMessageBytes || message.includes('\n') ? undefined : message
}
