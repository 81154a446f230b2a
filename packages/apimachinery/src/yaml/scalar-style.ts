import { measureUtf8Bytes } from '../go-text.ts'
import { readsAsString } from './resolve-scalar.ts'

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal'

/** Matches characters that must be escaped. As in kube-apiserver's emitter, these include characters outside the basic multilingual plane. */
const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u
const lineBreak = /[\r\n\x85\u2028\u2029]/
const blankAfter = '(?=[ \\t]|$)'
/** Matches text that a plain scalar must not contain or start with. */
const indicators = new RegExp(
  `^(?:---|\\.\\.\\.|[#,[\\]{}&*!|>'"%@\`]|[?:-]${blankAfter})|.:${blankAfter}|[ \\t\\r\\n\\x85\\u2028\\u2029]#`,
  's',
)
/** Matches sexagesimal numbers, such as 1:30. This parser reads them as strings, but some other parsers read them as numbers. */
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

export function needsExplicitKey(text: string): boolean {
  return lineBreak.test(text) || measureUtf8Bytes(text) > 128
}

/** Returns the quoting style of a scalar, as kube-apiserver's emitter chooses it. */
export function chooseScalarStyle(text: string, simpleKey: boolean): ScalarStyle {
  const multiline = lineBreak.test(text)
  const special = unprintable.test(text) || / [\r\n\x85\u2028\u2029]/.test(text)
  if (simpleKey && multiline) return 'double'
  if (text.includes('\n')) return special || text.endsWith(' ') || simpleKey ? 'double' : 'literal'
  if (text === '' || !readsAsString(text) || sexagesimal.test(text)) return 'double'
  const plain = !special && !multiline && !/^ | $/.test(text) && !indicators.test(text)
  if (plain) return 'plain'
  return special || /[\r\n\x85\u2028\u2029] /.test(text) ? 'double' : 'single'
}
