/** Names of all kinds of tokens, in the order in which messages list them. */
export const tokenNames = [
  '<EOF>',
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
] as const

export type TokenName = (typeof tokenNames)[number]

export interface Token {
  readonly name: TokenName
  readonly text: string
  readonly start: number
}

/** Formats a token set for a message. A single token has no braces. */
export function formatTokenSet(names: ReadonlySet<TokenName>): string {
  const listed = tokenNames.filter((name) => names.has(name))
  return listed.length === 1 ? listed[0]! : `{${listed.join(', ')}}`
}
