import { finishTask } from '@keelson/apimachinery'
import type { Task } from '@keelson/apimachinery'
import { CompileError, compileStepwise, estimateCostStepwise, findProgramError, trimSpace } from '@keelson/cel'
import type { Compiled, RuleEnvironments, SizeHints } from '@keelson/cel'
import type { Rule } from './schema-type.ts'

/** A compiled rule with its cost and errors. An empty rule has none of them. */
export interface CompiledRule {
  readonly rule?: Compiled
  /** Error of the rule, in kube-apiserver's words. */
  readonly problem?: string
  readonly usesOldSelf: boolean
  /** Estimated maximum cost of one evaluation; undefined without size hints. */
  readonly cost?: bigint
  readonly message?: Compiled
  /** Error of the message expression, in kube-apiserver's words. */
  readonly messageProblem?: string
  readonly messageCost?: bigint
}

/** Compiles a rule and its message expression. Estimates their costs if `hints` are given. */
export function compileRule(rule: Rule, environments: RuleEnvironments, hints?: SizeHints): CompiledRule {
  return finishTask(compileRuleStepwise(rule, environments, hints))
}

/** Compiles a rule like `compileRule`. Yields after each step, because a step takes up to 30 ms for a rule of the maximum length. */
export function* compileRuleStepwise(
  { rule: text, messageExpression = '', optionalOldSelf }: Rule,
  environments: RuleEnvironments,
  hints?: SizeHints,
): Task<CompiledRule> {
  if (trimSpace(text) === '') return { usesOldSelf: false }
  const environment = optionalOldSelf === true ? environments.withOptionalOldSelf : environments.plain
  const compiled = yield* attempt(compileStepwise(text, environment))
  yield
  if (typeof compiled === 'string') return { problem: `compilation failed: ${compiled}`, usesOldSelf: false }
  if (compiled.type.kind !== 'bool') return { problem: 'cel expression must evaluate to a bool', usesOldSelf: false }
  const usesOldSelf = readsOldSelf(compiled)
  const problem = findProgramError(compiled)
  if (problem !== undefined) return { problem, usesOldSelf }
  yield
  const cost = hints && (yield* estimateCostStepwise(compiled, hints)).max
  const rule: CompiledRule = { rule: compiled, usesOldSelf, ...(cost !== undefined && { cost }) }
  if (messageExpression === '') return rule
  yield
  const message = yield* attempt(compileStepwise(messageExpression, environment))
  yield
  if (typeof message === 'string') return { ...rule, messageProblem: `messageExpression compilation failed: ${message}` }
  const messageProblem =
    message.type.kind === 'string'
      ? findProgramError(message)?.replace(/^program/, 'messageExpression')
      : 'messageExpression must evaluate to a string'
  if (messageProblem !== undefined) return { ...rule, messageProblem }
  yield
  const messageCost = hints && (yield* estimateCostStepwise(message, hints)).max
  return { ...rule, message, ...(messageCost !== undefined && { messageCost }) }
}

function* attempt(compiling: Task<Compiled>): Task<Compiled | string> {
  try {
    return yield* compiling
  } catch (error) {
    if (error instanceof CompileError) return error.message
    throw error
  }
}

/** Returns whether an expression mentions `oldSelf`, even as the variable of a macro. */
function readsOldSelf({ references }: Compiled): boolean {
  for (const reference of references.values()) if (reference.kind === 'ident' && reference.name === 'oldSelf') return true
  return false
}
