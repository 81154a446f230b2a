interface Output {
  readonly type: string
  readonly fileName: string
  readonly imports: readonly string[]
  readonly dynamicImports: readonly string[]
}
export function findDependencyProblems(outputs: readonly Output[], dependencies: Readonly<Record<string, string>>): readonly string[]
