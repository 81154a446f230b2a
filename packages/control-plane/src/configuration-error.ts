/** Error for options that cannot be satisfied, such as an invalid file, a missing driver or an unknown name. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  /** Descriptions of all problems, each one sentence. */
  readonly problems: readonly string[]

  constructor(problem: string | readonly string[], options?: ErrorOptions) {
    const problems = typeof problem === 'string' ? [problem] : problem
    super(problems.join('; '), options)
    this.problems = problems
  }
}
