import { getErrorMessage } from '@keelson/apimachinery'
import type { TimeSlice } from '@keelson/apimachinery'
import { compileAdmission, Program, toVariableType, types } from '@keelson/cel'
import type { AdmissionPurpose, Type } from '@keelson/cel'

/** A compiled expression of a policy. */
export interface PolicyExpression {
  readonly text: string
  /** Undefined if the expression is invalid. */
  readonly program: Program | undefined
  /** The error of an invalid expression. */
  readonly problem: string | undefined
}

/** A compiled variable of a policy. */
export interface PolicyVariable extends PolicyExpression {
  readonly name: string
}

export interface PolicyCompilerOptions {
  readonly hasParams: boolean
  /** Time slices of the compilation. */
  readonly slice: TimeSlice
  /** Records the duration of a compilation in seconds. */
  readonly observe?: (seconds: number) => void
}

/** Variables and types that an expression can use. */
export interface ExpressionScope {
  /** Whether the expression can use the variable `authorizer`. Default: true. */
  readonly hasAuthorizer?: boolean
  /** Whether the expression can build patches. Default: false. */
  readonly hasPatches?: boolean
}

/** Compiles the expressions of one policy. The variables must be added before the expressions that use them. */
export class PolicyCompiler {
  readonly variables: PolicyVariable[] = []
  readonly #options: PolicyCompilerOptions
  readonly #types = new Map<string, Type>()

  constructor(options: PolicyCompilerOptions) {
    this.#options = options
  }

  /** Compiles variables. A variable can use the variables before it. */
  async addVariables(variables: readonly { readonly name: string; readonly expression: string }[]): Promise<void> {
    for (const { name, expression } of variables) {
      const { type, ...compiled } = this.#compile(expression, 'variable', {})
      this.#types.set(name, type === undefined ? types.dyn : toVariableType(type))
      this.variables.push({ name, ...compiled })
      await this.#options.slice.pauseIfOver()
    }
  }

  async compile(text: string, purpose: AdmissionPurpose, scope: ExpressionScope = {}): Promise<PolicyExpression> {
    const { type: _, ...compiled } = this.#compile(text, purpose, scope)
    await this.#options.slice.pauseIfOver()
    return compiled
  }

  #compile(
    text: string,
    purpose: AdmissionPurpose,
    { hasAuthorizer = true, hasPatches = false }: ExpressionScope,
  ): PolicyExpression & { readonly type: Type | undefined } {
    const { hasParams, observe } = this.#options
    const began = performance.now()
    const scope = { hasParams, hasAuthorizer, hasPatches, variables: this.#types }
    try {
      const { compiled, problem } = compileAdmission(text, purpose, scope)
      return { text, program: compiled && new Program(compiled), problem, type: compiled?.type }
    } catch (error) {
      // A bug of the compiler. The failure policy decides, as for an invalid expression.
      return { text, program: undefined, problem: getErrorMessage(error), type: undefined }
    } finally {
      observe?.((performance.now() - began) / 1000)
    }
  }
}
