import { byteLength } from '../go-text.ts'
import { readsAsString } from './resolve-scalar.ts'

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal'

/** Matches characters that need escapes. Like in kube-apiserver's emitter, these include characters beyond the basic multilingual plane. */
const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u
const lineBreak = /[\r\n\x85\u2028\u2029]/
const blankAfter = '(?=[ \\t]|$)'
/** Matches text that is not allowed at the start of, or within, a plain scalar. */
const indicators = new RegExp(
  `^(?:---|\\.\\.\\.|[#,[\\]{}&*!|>'"%@\`]|[?:-]${blankAfter})|.:${blankAfter}|[ \\t\\r\\n\\x85\\u2028\\u2029]#`,
  's',
)
/** Matches sexagesimal numbers. They are strings here, but numbers for some YAML readers. */
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

export function needsExplicitKey(text: string): boolean {
  return lineBreak.test(text) || byteLength(text) > 128
}

/** Returns the style of a scalar, like kube-apiserver's emitter. */
export function scalarStyle(text: string, simpleKey: boolean): ScalarStyle {
  const multiline = lineBreak.test(text)
  const special = unprintable.test(text) || / [\r\n\x85\u2028\u2029]/.test(text)
  if (simpleKey && multiline) return 'double'
  if (text.includes('\n')) return special || text.endsWith(' ') || simpleKey ? 'double' : 'literal'
  if (text === '' || !readsAsString(text) || sexagesimal.test(text)) return 'double'
  const plain = !special && !multiline && !/^ | $/.test(text) && !indicators.test(text)
  if (plain) return 'plain'
  return special || /[\r\n\x85\u2028\u2029] /.test(text) ? 'double' : 'single'
}
