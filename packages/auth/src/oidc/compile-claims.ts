import { CelError, compileAuthentication, listChildren, Program, toClaimsValue, toNative, toUserValue } from '@keelson/cel'
import type { AuthenticationPurpose, Compiled, Expr } from '@keelson/cel'
import type { JsonObject, UserInfo } from '@keelson/apimachinery'

/** A compiled expression over claims or over a user. */
export interface ClaimExpression {
  readonly text: string
  /** Returns the result as plain data. Rejects with kube-apiserver's message if the evaluation fails. */
  evaluate(subject: ExpressionSubject): Promise<unknown>
  /** True if the expression selects this claim by name. */
  usesClaim(name: string): boolean
}

/** The variables of an expression: either the token's claims or the mapped user. */
export type ExpressionSubject = { readonly claims: JsonObject } | { readonly user: UserInfo }

/** Compiles an expression of an authentication configuration. Returns kube-apiserver's error message if the expression is not valid. */
export function compileClaimExpression(text: string, purpose: AuthenticationPurpose): ClaimExpression | { readonly problem: string } {
  const { compiled, problem } = compileAuthentication(text, purpose)
  return problem === undefined ? compileExpression(text, compiled) : { problem }
}

function compileExpression(text: string, compiled: Compiled): ClaimExpression {
  const program = new Program(compiled)
  return {
    text,
    async evaluate(subject) {
      const variables = 'claims' in subject ? { claims: toClaimsValue(subject.claims) } : { user: toUserValue(subject.user) }
      const { value } = await program.evaluate(variables)
      if (value instanceof CelError) throw new Error(`expression '${text}' resulted in error: ${value.message}`)
      return toNative(value)
    },
    usesClaim: (name) => selectsClaim(compiled.expression, name),
  }
}

/** Returns whether the expression is `claims.NAME` or `claims.?NAME`. */
function selectsClaim(expression: Expr, name: string): boolean {
  if (expression.kind === 'select' && expression.field === name && isClaims(expression.operand)) return true
  if (expression.kind === 'call' && expression.name === '_?._') {
    const [operand, field] = expression.args
    if (operand !== undefined && isClaims(operand) && field?.kind === 'literal' && field.constant.value === name) return true
  }
  return listChildren(expression).some((child) => selectsClaim(child, name))
}

function isClaims(expression: Expr): boolean {
  return expression.kind === 'ident' && expression.name === 'claims'
}
