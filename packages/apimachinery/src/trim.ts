/** Removes all occurrences of a character from the end of a text. A regular expression would take quadratic time. */
export function trimRight(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Removes all occurrences of a character from both ends of a text. */
export function trim(text: string, character: string): string {
  const right = trimRight(text, character)
  let start = 0
  while (right[start] === character) start++
  return right.slice(start)
}
