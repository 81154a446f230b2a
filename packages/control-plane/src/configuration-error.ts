/** The options cannot be satisfied: a file is wrong, a driver is missing. One sentence, for whoever gave them. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
