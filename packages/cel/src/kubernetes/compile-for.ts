import { compile, CompileError, programProblem } from '../compile.ts'
import type { Compiled } from '../compile.ts'
import type { Environment } from '../environment.ts'

export type Compilation =
  | { readonly compiled: Compiled; readonly problem?: undefined }
  /** In the original's words. */
  | { readonly compiled?: undefined; readonly problem: string }

/** Compiles an expression and looks at what it gives before at whether it can run. `resultProblem` says what is wrong with the type of the result. */
export function compileFor(text: string, environment: Environment, resultProblem: (compiled: Compiled) => string | undefined): Compilation {
  try {
    const compiled = compile(text, environment)
    const problem = resultProblem(compiled) ?? programProblem(compiled)
    return problem === undefined ? { compiled } : { problem }
  } catch (error) {
    if (error instanceof CompileError) return { problem: `compilation failed: ${error.message}` }
    throw error
  }
}
