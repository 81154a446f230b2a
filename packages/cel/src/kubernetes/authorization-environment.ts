import type { Expr } from '../ast.ts'
import { listChildren } from '../ast.ts'
import { declareStructs } from '../declarations/structs.ts'
import type { Environment } from '../environment.ts'
import { baseEnvironment } from '../libraries.ts'
import { operators } from '../operators.ts'
import { formatResultType, createStructType } from '../types/type.ts'
import { compileFor } from './compile-for.ts'
import type { Compilation } from './compile-for.ts'

const selector = { rawSelector: 'string', requirements: 'list<kubernetes.SelectorRequirement>' }

/** The environment of an authorization webhook's match conditions. The variable `request` is the spec of a SubjectAccessReview. */
export const authorizationEnvironment: Environment = baseEnvironment.extend({
  structs: [
    declareStructs({
      'kubernetes.SelectorRequirement': { key: 'string', operator: 'string', values: 'list<string>' },
      'kubernetes.FieldSelectorAttributes': selector,
      'kubernetes.LabelSelectorAttributes': selector,
      'kubernetes.ResourceAttributes': {
        namespace: 'string',
        verb: 'string',
        group: 'string',
        version: 'string',
        resource: 'string',
        subresource: 'string',
        name: 'string',
        fieldSelector: 'kubernetes.FieldSelectorAttributes',
        labelSelector: 'kubernetes.LabelSelectorAttributes',
      },
      'kubernetes.NonResourceAttributes': { path: 'string', verb: 'string' },
      'kubernetes.SubjectAccessReviewSpec': {
        resourceAttributes: 'kubernetes.ResourceAttributes',
        nonResourceAttributes: 'kubernetes.NonResourceAttributes',
        user: 'string',
        groups: 'list<string>',
        extra: 'map<string, list<string>>',
        uid: 'string',
      },
    }),
  ],
  variables: { request: createStructType('kubernetes.SubjectAccessReviewSpec') },
})

/** Compiles a match condition, which must return a boolean. */
export function compileMatchCondition(text: string): Compilation {
  return compileFor(text, authorizationEnvironment, ({ type }) =>
    type.kind === 'bool' ? undefined : `must evaluate to bool but got ${formatResultType(type)}`,
  )
}

/** Returns whether any part of an expression selects a field with this name. */
export function selectsField(expression: Expr, name: string): boolean {
  if (expression.kind === 'select' && expression.field === name) return true
  if (expression.kind === 'call' && expression.name === operators.optionalSelect) {
    const [, field] = expression.args
    if (field?.kind === 'literal' && field.constant.value === name) return true
  }
  return listChildren(expression).some((child) => selectsField(child, name))
}
