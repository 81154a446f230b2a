import type { LineCounter, YAMLParseError } from 'yaml'

interface Finding {
  readonly text: string
  /**
   * Component of go-yaml that reports the error. An error of the scanner names its own line, an error of the parser names the line before. Errors
   * in the first line have no line number.
   */
  readonly by: 'scanner' | 'parser'
  readonly offset: number
  /** True if go-yaml reports the error with the number of the next line. */
  readonly late?: boolean
}

/**
 * Returns go-yaml's message for an error of the YAML library, such as `line N: did not find expected ',' or ']'`. If go-yaml has no equivalent
 * error, returns the closest message.
 */
export function formatSyntaxMessage(error: YAMLParseError, text: string, lines: LineCounter): string {
  const finding = interpret(error, text)
  const line = lines.linePos(Math.min(finding.offset, text.length)).line - 1
  const beyond = finding.late === true || (finding.by === 'parser' && finding.offset >= text.trimEnd().length && !text.endsWith('\n'))
  const mark = beyond ? line + 1 : line
  if (mark === 0) return finding.text
  return `line ${finding.by === 'scanner' ? mark + 1 : mark}: ${finding.text}`
}

function interpret(error: YAMLParseError, text: string): Finding {
  const offset = error.pos[0]
  const createScannerFinding = (words: string): Finding => ({ text: words, by: 'scanner', offset })
  const createParserFinding = (words: string): Finding => ({ text: words, by: 'parser', offset })
  // A list item where a key is expected is scanned as an item, and go-yaml reports it immediately.
  const isItem = /^-\s/.test(text.slice(offset, offset + 2))
  switch (error.code) {
    case 'MULTILINE_IMPLICIT_KEY':
      if (isItem) return createParserFinding('did not find expected key')
      if (hasSiblingBefore(text, offset)) return { text: "could not find expected ':'", by: 'scanner', offset, late: true }
      return describeMisplacedValue(text, offset)
    case 'KEY_OVER_1024_CHARS':
      return createScannerFinding("could not find expected ':'")
    case 'BLOCK_AS_IMPLICIT_KEY':
      if (/sequence/.test(error.message)) return createParserFinding('did not find expected key')
      return text[offset] === '?'
        ? createScannerFinding('mapping keys are not allowed in this context')
        : describeMisplacedValue(text, offset)
    case 'TAB_AS_INDENT':
    case 'BAD_SCALAR_START':
      return createScannerFinding('found character that cannot start any token')
    case 'BAD_DQ_ESCAPE':
      return createScannerFinding('found unknown escape character')
    case 'BAD_ALIAS':
      return createScannerFinding('did not find expected alphabetic or numeric character')
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
      return isItem ? createParserFinding('did not find expected key') : describeMissing(error, text)
    case 'UNEXPECTED_TOKEN':
      return describeUnexpected(error, text)
    case 'RESOURCE_EXHAUSTION':
      return { text: 'exceeded max depth', by: 'scanner', offset: 0 }
    default:
      return createParserFinding('did not find expected key')
  }
}

/**
 * Returns whether an earlier line has a key of the same mapping. If so, go-yaml requires a `:` on this line and immediately reports that it is
 * missing. Otherwise go-yaml fails only at the next `:`.
 */
function hasSiblingBefore(text: string, offset: number): boolean {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const column = offset - start
  const lines = text.slice(0, start).split('\n').slice(0, -1)
  for (const line of lines.toReversed()) {
    const content = line.trimStart()
    if (content === '' || content.startsWith('#')) continue
    const indent = line.length - content.length
    const inner = /^(?:- +)+/.exec(content)?.[0].length ?? 0
    if (indent + inner === column) return true
    if (indent < column) return false
  }
  return false
}

/** Finds the second `: ` on a line, where only one is allowed. */
function describeMisplacedValue(text: string, from: number): Finding {
  const colon = text.slice(from).search(/:(?:\s|$)/)
  return { text: 'mapping values are not allowed in this context', by: 'scanner', offset: colon < 0 ? from : from + colon }
}

function describeMissing(error: YAMLParseError, text: string): Finding {
  const offset = error.pos[0]
  if (/quote/.test(error.message)) return { text: 'found unexpected end of stream', by: 'scanner', offset }
  if (/[[{,]\s*$/.test(text)) return { text: 'did not find expected node content', by: 'parser', offset }
  if (/flow sequence|end with a \]/i.test(error.message)) return { text: "did not find expected ',' or ']'", by: 'parser', offset }
  if (/flow map|end with a \}/i.test(error.message)) return { text: "did not find expected ',' or '}'", by: 'parser', offset }
  if (/implicit map key/i.test(error.message)) return { text: "could not find expected ':'", by: 'scanner', offset, late: true }
  if (text.startsWith('%')) return { text: 'could not find expected directive name', by: 'scanner', offset: 0 }
  return { text: 'did not find expected key', by: 'parser', offset }
}

function describeUnexpected(error: YAMLParseError, text: string): Finding {
  const offset = error.pos[0]
  if (/block-seq-ind/.test(error.message)) return { text: 'block sequence entries are not allowed in this context', by: 'scanner', offset }
  if (/flow-(?:seq|map)-end|in flow/.test(error.message)) return { text: 'did not find expected node content', by: 'parser', offset }
  const inSequence = /node end/.test(error.message) && /^- /m.test(text.slice(0, 2))
  return { text: inSequence ? "did not find expected '-' indicator" : 'did not find expected key', by: 'parser', offset }
}
