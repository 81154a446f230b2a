/** Splits a command line into words. Single quotes keep spaces and are removed; there is no other quoting. */
export function splitWords(command: string): readonly string[] {
  return (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))
}
