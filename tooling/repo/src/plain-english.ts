/** A comment, test title or paragraph with a phrase that should be rewritten. */
export interface Finding {
  readonly line: number
  readonly phrase: string
  readonly advice: string
}

interface Prose {
  readonly line: number
  readonly text: string
}

interface Rule {
  readonly pattern: RegExp
  readonly advice: string
}

/** Phrases to avoid. There are no exceptions, so a pattern must not match phrases that plain English needs. */
const rules: readonly Rule[] = [
  {
    pattern:
      /\bthe original(?:['’]s\b|(?= (?:also|answers|calls|does|gives|has|is|knows|makes|prints|reads|says|sends|shows|takes|writes|would)\b|[.,:;)]|$))/gi,
    advice: 'say kube-apiserver, upstream or Go',
  },
  { pattern: /\b(?:am|are|be|been|is|was|were) told\b(?! apart)/gi, advice: 'say who reports what: "reports", "returns", "receives"' },
  { pattern: /\bwho(?:m|se)?(?:so)?ever\b/gi, advice: 'name the caller, user or client' },
  { pattern: /\b(?:anew|as ever|misfits?|of what)\b/gi, advice: 'use the usual word: "again", "as before", "type mismatch"' },
  { pattern: /(?:\b(?:all|nothing|none|everything)|,) but for\b/gi, advice: 'say "except"' },
  { pattern: /\bbeside\b/gi, advice: 'say "next to" or "besides"' },
  { pattern: /\bat the (?:most|least)\b/gi, advice: 'say "at most" or "at least"' },
  {
    pattern: /(?:^|[.:;] )(?:What|Whom?|Whose|That which|Those who)\b[^.?!]*(?:[.;]|$)/g,
    advice: 'start with what it is (a noun) or does (a verb)',
  },
  {
    pattern: /(?:^|[.:;] )(?:(?:Why|How|Where(?! to))\b[^,.?!]*(?:[.;]|$)|(?:Told|Asked|Given|Held|For people)\b[^.?!]*)/g,
    advice: 'start with a noun or a verb: "Reason of …", "Duration of …", "Called after …"',
  },
  { pattern: /(?:^|[.:;] )Of (?:several|all|two|this|no|those|the|an?)\b[^.,:]*/g, advice: 'start with the subject of the sentence' },
  { pattern: /\bours\b/gi, advice: 'name the server, for example "Keelson" or "kube-apiserver"' },
  { pattern: /\b(?:go|goes|went|gone) on\b/g, advice: 'say "continues"' },
  {
    pattern: /\b(?:be it|be they|again and again|for ever|would else|else than)\b/gi,
    advice: 'say "whether", "repeatedly" or "otherwise"',
  },
  { pattern: /\bwhat (?:is|was) (?:left|no|given|asked|told|meant|there|due)\b/gi, advice: 'use a noun: "the rest", "missing fields"' },
  { pattern: /\b(?:takes?|took|taken) for (?:an?|one|ready)\b/gi, advice: 'say "treated as" or "mistaken for"' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, advice: 'say "fix" or "correct"' },
]

const titleRules: readonly Rule[] = [
  { pattern: /^(?:who|whom|whose|what|those who|one that)\b.*/g, advice: 'start the title with a verb: "rejects …", "keeps …"' },
]

/** Checks the comments of a TypeScript source, and the titles if it is a test. */
export function checkSource(source: string): readonly Finding[] {
  const lines = source.split('\n')
  return [
    ...collectComments(lines).flatMap((prose) => matches(prose, rules)),
    ...collectTitles(lines).flatMap((prose) => matches(prose, [...rules, ...titleRules])),
  ]
}

/** Checks the paragraphs of a Markdown document, without headings and code. */
export function checkMarkdown(source: string): readonly Finding[] {
  const text = source.replace(/^```[\s\S]*?^```$|^#.*$/gm, (block) => block.replace(/[^\n]/g, ' '))
  const paragraphs: { line: number; text: string }[] = []
  let isOpen = false
  for (const [i, line] of text.split('\n').entries()) {
    const [marker] = /^\s*(?:[-*|>]|\d+\.)*\s*/.exec(line)!
    const content = line.slice(marker.length).trim()
    if (isOpen && marker.trim() === '' && content !== '') paragraphs.at(-1)!.text += ` ${content}`
    else if (content !== '') paragraphs.push({ line: i + 1, text: content })
    isOpen = content !== ''
  }
  return paragraphs.flatMap((paragraph) => matches(paragraph, rules))
}

/** Joins adjacent comment lines, because sentences span lines. */
function collectComments(lines: readonly string[]): readonly Prose[] {
  const comments: { line: number; text: string; next: number }[] = []
  for (const [i, line] of lines.entries()) {
    const fullLine = /^\s*(?:\/\*\*?|\*(?= |$)|\/\/)(.*)/.exec(line)?.[1]
    const text = (fullLine ?? /\s\/\/ (.*)/.exec(line)?.[1])?.replace(/\*\/\s*$/, '').trim()
    if (text === undefined || text === '/') continue
    const last = comments.at(-1)
    if (fullLine !== undefined && last?.next === i && text !== '' && !line.trimStart().startsWith('/**')) last.text += ` ${text}`
    else comments.push({ line: i + 1, text, next: i + 1 })
    comments.at(-1)!.next = i + 1
  }
  return comments.map(({ line, text }) => ({ line, text: text.trim() }))
}

function collectTitles(lines: readonly string[]): readonly Prose[] {
  return lines.flatMap((line, i) => {
    const call = /(?:\b(?:it|test|describe)(?:\.\w+)*|[\])}>])\((['"`])((?:\\.|(?!\1).)*)\1, (?:async )?\(/.exec(line)
    return call === null ? [] : [{ line: i + 1, text: call[2]! }]
  })
}

function matches({ line, text }: Prose, checkedRules: readonly Rule[]): readonly Finding[] {
  const words = text.replace(/`[^`]*`/g, '``').replace(/"[^"]*"/g, '""')
  return checkedRules.flatMap(({ pattern, advice }) =>
    [...words.matchAll(pattern)].map(([phrase]) => ({ line, phrase: phrase.replace(/^[.:;] /, ''), advice })),
  )
}
