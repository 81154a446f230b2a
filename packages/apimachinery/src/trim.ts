/** Removes all of one character from the end. A regular expression would start again at each such character within the text: quadratic. */
export function trimRight(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Without what there is of one character at both ends. */
export function trim(text: string, character: string): string {
  const right = trimRight(text, character)
  let start = 0
  while (right[start] === character) start++
  return right.slice(start)
}
