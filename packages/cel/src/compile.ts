import { finishTask } from '@keelson/apimachinery'
import type { Task } from '@keelson/apimachinery'
import type { Call, Expr } from './ast.ts'
import { checkStepwise } from './checker/checker.ts'
import type { Checked } from './checker/checker.ts'
import type { Environment } from './environment.ts'
import { Issues } from './issues.ts'
import type { Macro } from './macros/macro.ts'
import { Source } from './source.ts'
import { AstBuilder } from './syntax/ast-builder.ts'
import { Parser } from './syntax/parser.ts'
import type { Type } from './types/type.ts'
import { findInstantiationError } from './validators/instantiate.ts'
import { validate } from './validators/validate.ts'

/** A parsed expression. */
export interface Parsed {
  readonly source: Source
  readonly expression: Expr
  /** Original macro calls by the expression that replaced them. */
  readonly macroCalls: ReadonlyMap<Expr, Call>
}

/** A type-checked expression. */
export interface Compiled extends Parsed, Checked {
  readonly environment: Environment
  readonly type: Type
}

/** A syntax or type error with kube-apiserver's message. */
export class CompileError extends Error {
  override readonly name: string = 'CompileError'
  readonly issues: Issues

  constructor(issues: Issues) {
    super(issues.toString())
    this.issues = issues
  }
}

/** Parses an expression. Throws `CompileError`. */
export function parse(text: string, macros: ReadonlyMap<string, Macro>): Parsed {
  return finishTask(parseStepwise(text, macros))
}

function* parseStepwise(text: string, macros: ReadonlyMap<string, Macro>): Task<Parsed> {
  const source = new Source(text)
  const issues = new Issues(source)
  const tree = new Parser(issues).parse()
  if (tree === undefined) throw new CompileError(issues)
  yield
  const builder = new AstBuilder(issues, macros)
  const expression = builder.build(tree)
  if (issues.size > 0) throw new CompileError(issues)
  return { source, expression, macroCalls: builder.macroCalls }
}

/** Parses and type-checks an expression. Throws `CompileError`. */
export function compile(text: string, environment: Environment): Compiled {
  return finishTask(compileStepwise(text, environment))
}

/**
 * Parses and type-checks an expression like `compile`. Yields between and within the passes over the expression, because together they take up
 * to 50 ms for an expression of the maximum length.
 */
export function* compileStepwise(text: string, environment: Environment): Task<Compiled> {
  const parsed = yield* parseStepwise(text, environment.macros)
  yield
  const issues = new Issues(parsed.source)
  const checked = yield* checkStepwise(parsed.expression, environment, issues)
  yield
  if (issues.size === 0) validate(parsed.expression, checked, issues)
  if (issues.size > 0) throw new CompileError(issues)
  return { ...parsed, ...checked, environment, type: checked.types.get(parsed.expression)! }
}

/** Returns the error that prevents a compiled expression from running, with kube-apiserver's message; undefined if there is none. */
export function findProgramError(compiled: Compiled): string | undefined {
  const problem = findInstantiationError(compiled)
  return problem === undefined ? undefined : `program instantiation failed: ${problem}`
}
