import type { Constant, Expr } from '../ast.ts'
import { listChildren } from '../ast.ts'
import type { Checked } from '../checker/checker.ts'
import type { Issues } from '../issues.ts'
import { parseDuration } from '../values/duration.ts'
import { isWithinYears, parseTimestamp } from '../values/timestamp.ts'
import { findFormatError } from './format-strings.ts'
import { findMixedElements } from './homogeneous-literals.ts'
import { findPatternError } from '../regexp/check-pattern.ts'

/** Reports invalid constants: times, patterns, format strings, and literals of mixed types. */
export function validate(expression: Expr, { types, references }: Checked, issues: Issues): void {
  const visit = (node: Expr, isFormatted: boolean): void => {
    let within = isFormatted
    if (node.kind === 'call') {
      const { name } = findCalled(node, references)
      checkConstantArgument(node, name, issues)
      const problem = findFormatError(node, types)
      if (problem !== undefined) issues.report(problem.at.offset, problem.message)
      within ||= name === 'format'
    } else if (!isFormatted) {
      for (const { at, message } of findMixedElements(node, types)) issues.report(at.offset, message)
    }
    for (const child of listChildren(node)) visit(child, within)
  }
  visit(expression, false)
}

function findCalled(call: Expr & { kind: 'call' }, references: Checked['references']): { readonly name: string } {
  const reference = references.get(call)
  return reference?.kind === 'function' ? reference : call
}

function checkConstantArgument({ args: [argument] }: Expr & { kind: 'call' }, name: string, issues: Issues): void {
  if (argument?.kind !== 'literal') return
  const { constant } = argument
  const isTime = name === 'duration' || name === 'timestamp'
  const wrong = isTime
    ? !(name === 'duration' ? isDuration(constant) : isTimestamp(constant))
    : name === 'matches' && constant.type === 'string' && findPatternError(constant.value) !== undefined
  if (wrong) issues.report(argument.offset, `invalid ${name} argument`)
}

function isDuration(constant: Constant): boolean {
  return constant.type === 'string' && parseDuration(constant.value) !== undefined
}

/** Returns whether a constant is a valid timestamp: seconds or an RFC 3339 string. */
function isTimestamp(constant: Constant): boolean {
  if (constant.type === 'int') return isWithinYears(Number(constant.value))
  const time = constant.type === 'string' ? parseTimestamp(constant.value) : undefined
  return time !== undefined && isWithinYears(time.seconds)
}
