import type { DescribedItem } from './descriptions.ts'

const longestText = 400
/** Words that say nothing without others. */
const emptyWords = new Set(
  'a an and are as be by can defines describes field for from if in is it its list lists of on optional or required specifies specified specification the this to used which with'.split(
    ' ',
  ),
)
/** Units by the end of a field's name. */
const units: readonly (readonly [end: RegExp, unit: RegExp])[] = [
  [/Milliseconds?$/, /millisecond/i],
  [/(?<!Milli)Seconds?$/, /second/i],
  [/Minutes?$/, /minute/i],
  [/Days?$/, /day/i],
  [/Bytes$/, /byte/i],
  [/Percent(age)?$/, /percent|%/i],
]

/** Returns the problems of a description. A text that is missing is no problem here. */
export function findTextProblems({ type, field, facts, text }: DescribedItem): string[] {
  if (text === undefined) return []
  const problems: string[] = []
  if (text.length > longestText) problems.push(`has ${text.length} characters, and at most ${longestText} are allowed`)
  if (!/^[\x20-\x7e]*$/.test(text)) problems.push('has characters that are not ASCII')
  if (!/^[A-Z0-9`"].*[.)]$/.test(text)) problems.push('is not a sentence')
  if (countNewWords(text, `${type} ${field}`) < 2) problems.push('only repeats the name')
  for (const [end, unit] of units) if (end.test(field) && !unit.test(text)) problems.push(`does not name the unit ${unit.source}`)
  const value = facts?.default
  if (value !== undefined && typeof value !== 'object') {
    const isNamed = typeof value === 'boolean' ? /default/i.test(text) : text.includes(JSON.stringify(value).replaceAll('"', ''))
    if (!isNamed) problems.push(`does not name the default ${JSON.stringify(value)}`)
  }
  return problems
}

/** Counts the different words of a text that neither are empty nor occur in the name. */
function countNewWords(text: string, name: string): number {
  const nameWords = new Set((name.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? []).map(toStem))
  const words = new Set((text.match(/[A-Za-z0-9]+/g) ?? []).map((word) => word.toLowerCase()))
  return [...words].filter((word) => !emptyWords.has(word) && !nameWords.has(toStem(word))).length
}

function toStem(word: string): string {
  return word.toLowerCase().replace(/s$/, '')
}
