/** The options cannot be satisfied: a file is wrong, a driver is missing, a name is unknown. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  /** What is wrong, one sentence each. */
  readonly problems: readonly string[]

  constructor(problem: string | readonly string[], options?: ErrorOptions) {
    const problems = typeof problem === 'string' ? [problem] : problem
    super(problems.join('; '), options)
    this.problems = problems
  }
}
