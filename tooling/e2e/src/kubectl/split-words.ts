/**
 * Splits a command line into words. Spaces in single quotes do not split a word, and the quotes are removed. No other quoting is supported.
 */
export function splitWords(command: string): readonly string[] {
  return (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))
}
