const length = 60_000
const repeat = (text: string): (() => string) => {
  return () => text.repeat(Math.floor(length / text.length))
}
const repeatToLength = (before: string, text: string, after = ''): (() => string) => {
  return () => before + text.repeat(Math.floor(length / text.length)) + after
}

/** Strings that take long to parse in careless parsers of names, numbers, times, addresses, expressions and patterns. */
export const hostileTexts: readonly (readonly [name: string, text: () => string])[] = [
  ['zeros and a letter', repeatToLength('', '0', 'x')],
  ['digits', repeat('1')],
  ['digits and a letter', repeatToLength('', '1', 'x')],
  ['a fraction of zeros', repeatToLength('0.', '0', '1')],
  ['a large exponent', () => '1e9999'],
  ['a long exponent', repeatToLength('1e', '1')],
  ['spaces', repeat(' ')],
  ['spaces and a letter', repeatToLength('', ' ', 'x')],
  ['dots', repeat('.')],
  ['dashes', repeat('-')],
  ['letters', repeat('a')],
  ['letters and an exclamation mark', repeatToLength('', 'a', '!')],
  ['labels', repeatToLength('', 'a-', '!')],
  ['names of domains', repeatToLength('', 'a.', '!')],
  ['slashes', repeat('/')],
  ['parents', repeat('../')],
  ['colons', repeat(':')],
  ['an address of version 6', repeat('1:')],
  ['an address of version 4', repeat('1.')],
  ['a long prefix', repeatToLength('10.0.0.0/', '0', '8')],
  ['a time with a long fraction', repeatToLength('2026-01-01T00:00:00.', '0', 'Z')],
  ['a duration', repeat('1h')],
  ['a schedule of stars', repeat('* ')],
  ['a schedule of ranges', repeatToLength('', '1-2/3,', '4 * * * *')],
  ['a URL', repeatToLength('https://', 'a.', '/')],
  ['a URL of escapes', repeatToLength('https://a/', '%41')],
  ['a version', repeatToLength('v', '1.', '0')],
  ['an image', repeatToLength('', 'a/', ':b@sha256:')],
  ['references', repeat('$(a)')],
  ['opened references', repeat('$(')],
  ['requirements', repeat('a in (b),')],
  ['backslashes', repeat('\\')],
  ['quotes', repeat('"')],
  ['line feeds', repeat('\n')],
  ['NUL', repeat('\0')],
  ['emojis', repeat('😀')],
  ['combining characters', repeat('e\u0301')],
  ['half of a pair', repeat('\ud800')],
  ['braces', repeat('{')],
  ['brackets', repeat('[')],
  ['parentheses', repeat('(')],
  ['alternatives', repeatToLength('^(', 'a|', 'a)*$')],
  ['base64', repeat('QUFB')],
  ['PEM', repeatToLength('-----BEGIN CERTIFICATE-----\n', 'QUFB\n', '-----END CERTIFICATE-----\n')],
  ['selections', repeatToLength('object', '.a')],
]
