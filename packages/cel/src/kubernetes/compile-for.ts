import { compile, CompileError, findProgramError } from '../compile.ts'
import type { Compiled } from '../compile.ts'
import type { Environment } from '../environment.ts'

export type Compilation =
  | { readonly compiled: Compiled; readonly problem?: undefined }
  /** kube-apiserver's error message. */
  | { readonly compiled?: undefined; readonly problem: string }

/**
 * Compiles an expression and checks its result type with `resultProblem`, then whether it can run. `resultProblem` returns the error of a
 * wrong type.
 */
export function compileFor(text: string, environment: Environment, resultProblem: (compiled: Compiled) => string | undefined): Compilation {
  try {
    const compiled = compile(text, environment)
    const problem = resultProblem(compiled) ?? findProgramError(compiled)
    return problem === undefined ? { compiled } : { problem }
  } catch (error) {
    if (error instanceof CompileError) return { problem: `compilation failed: ${error.message}` }
    throw error
  }
}
