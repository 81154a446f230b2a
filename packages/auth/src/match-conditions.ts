import { compileMatchCondition, MatchConditions } from '@keelson/cel'
import type { Compiled, MatchResult, ReviewSpec } from '@keelson/cel'
import { runAfter } from '@keelson/apimachinery'
import type { MatchConditionMetrics } from './authorization-metrics.ts'
import type { WebhookAuthorizerOptions } from './webhook/webhook-authorizer.ts'

/** Returns the error of an expression that cannot be a match condition; undefined if it can be one. */
export function findMatchConditionError(expression: string): string | undefined {
  return compileMatchCondition(expression).problem
}

/** Compiles the match conditions of a webhook; undefined if there are none. The expressions must have been validated. */
export function createMatchConditions(
  expressions: readonly string[],
  { name, metrics }: { readonly name: string; readonly metrics: MatchConditionMetrics },
): WebhookAuthorizerOptions['matchConditions'] {
  if (expressions.length === 0) return undefined
  const compiled: readonly Compiled[] = expressions.flatMap((expression) => compileMatchCondition(expression).compiled ?? [])
  const conditions = new MatchConditions(compiled)
  const observe = (started: number, result: MatchResult): MatchResult => {
    metrics.recordEvaluation(name, (performance.now() - started) / 1000)
    if (result.error !== undefined) metrics.countFailure(name)
    else if (!result.matches) metrics.countExclusion(name)
    return result
  }
  return {
    matches: (spec) => {
      const started = performance.now()
      return runAfter(conditions.match(spec as ReviewSpec), (result) => observe(started, result))
    },
  }
}
