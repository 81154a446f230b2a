export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'symbol' | 'end'
  readonly text: string
  /** Where it begins in the expression. */
  readonly at: number
}

/** What is wrong with an expression, and where that shows. */
export interface Problem {
  readonly message: string
  readonly at: number
}

/** An expression that is none. */
export class ExpressionError extends Error implements Problem {
  override readonly name: string = 'ExpressionError'
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const blank = /(?:\s|\/\/[^\n]*)+/y
const patterns: readonly (readonly [Token['kind'], RegExp])[] = [
  [
    'string',
    /(?:[rR][bB]?|[bB][rR]?)?(?:"""(?:\\[\s\S]|(?!""")[^\\])*"""|'''(?:\\[\s\S]|(?!''')[^\\])*'''|"(?:\\.|[^"\\\n\r])*"|'(?:\\.|[^'\\\n\r])*')/y,
  ],
  [
    'number',
    /0[xX][0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[uU]?)/y,
  ],
  ['name', /[_a-zA-Z][_a-zA-Z0-9]*/y],
  ['symbol', /\[\?|\.\?|&&|\|\||==|!=|<=|>=|`[a-zA-Z0-9_.\-/ ]+`|[-+*/%!<>?:.,()[\]{}]/y],
]

/** Throws `ExpressionError` for characters that belong to no token. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const space = match(blank, text, at)
    if (space !== undefined) {
      at += space.length
      continue
    }
    const token = next(text, at)
    tokens.push(token)
    at += token.text.length
  }
  tokens.push({ kind: 'end', text: '<EOF>', at })
  return tokens
}

function next(text: string, at: number): Token {
  for (const [kind, pattern] of patterns) {
    const found = match(pattern, text, at)
    if (found !== undefined) return { kind, text: found, at }
  }
  throw new ExpressionError(`Syntax error: token recognition error at: '${text[at]}'`, at)
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
