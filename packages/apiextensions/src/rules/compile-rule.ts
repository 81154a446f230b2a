import { compile, CompileError, estimateCost, findProgramError, trimSpace } from '@keelson/cel'
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
export function compileRule(
  { rule: text, messageExpression = '', optionalOldSelf }: Rule,
  environments: RuleEnvironments,
  hints?: SizeHints,
): CompiledRule {
  if (trimSpace(text) === '') return { usesOldSelf: false }
  const environment = optionalOldSelf === true ? environments.withOptionalOldSelf : environments.plain
  const compiled = attempt(() => compile(text, environment))
  if (typeof compiled === 'string') return { problem: `compilation failed: ${compiled}`, usesOldSelf: false }
  if (compiled.type.kind !== 'bool') return { problem: 'cel expression must evaluate to a bool', usesOldSelf: false }
  const usesOldSelf = readsOldSelf(compiled)
  const problem = findProgramError(compiled)
  if (problem !== undefined) return { problem, usesOldSelf }
  const rule: CompiledRule = { rule: compiled, usesOldSelf, ...(hints === undefined ? {} : { cost: estimateCost(compiled, hints).max }) }
  if (messageExpression === '') return rule
  const message = attempt(() => compile(messageExpression, environment))
  if (typeof message === 'string') return { ...rule, messageProblem: `messageExpression compilation failed: ${message}` }
  const messageProblem =
    message.type.kind === 'string'
      ? findProgramError(message)?.replace(/^program/, 'messageExpression')
      : 'messageExpression must evaluate to a string'
  if (messageProblem !== undefined) return { ...rule, messageProblem }
  return { ...rule, message, ...(hints === undefined ? {} : { messageCost: estimateCost(message, hints).max }) }
}

function attempt(run: () => Compiled): Compiled | string {
  try {
    return run()
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
