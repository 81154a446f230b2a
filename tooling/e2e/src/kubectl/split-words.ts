/** A command line as words. Single quotes keep spaces, and are not part of the word; nothing else is special. */
export function splitWords(command: string): readonly string[] {
  return (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))
}
