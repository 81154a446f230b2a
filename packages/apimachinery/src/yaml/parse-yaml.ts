import type { CST, Document, LineCounter, YAMLParseError } from 'yaml'
import { maxRequestDepth, parseJson } from '../json-document.ts'
import { setOwn } from '../set-own.ts'
import type { JsonValue } from '../meta.ts'
import { buildValue } from './build-value.ts'
import { isScalar, loadYamlLibrary } from './library.ts'
import { readPlainYaml } from './read-plain-yaml.ts'
import { formatSyntaxMessage } from './syntax-message.ts'
import { YamlError } from './yaml-error.ts'

export interface ParsedYaml {
  /** The document as a JSON value. Keys are sorted, but JavaScript puts keys that are integers first. Integers that a double cannot represent are `bigint`. */
  readonly value: JsonValue
  /** Error of strict decoding about duplicate keys. It is a single message with the lines of all duplicate keys. Empty if there are none. */
  readonly duplicates: readonly string[]
}

/**
 * Parses the first document of a YAML text by the rules of kube-apiserver's parser. They are those of YAML 1.1 with exceptions: `y` and `on` are
 * booleans, `017` is octal, dates are strings, and sexagesimal numbers do not exist. Throws `YamlError`.
 */
export function parseYaml(input: Uint8Array | string): ParsedYaml {
  const text = typeof input === 'string' ? input : Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('utf8')
  try {
    const json = parseCommonYaml(text)
    if (json !== undefined) return { value: json, duplicates: [] }
    return parseFullYaml(text)
  } catch (e) {
    if (e instanceof RangeError) throw new YamlError('exceeded max depth', { cause: e })
    throw e
  }
}

/** Parses text with the JSON parser or the fast YAML reader. Returns undefined if the text needs the full YAML parser. */
export function parseCommonYaml(text: string): JsonValue | undefined {
  return readAsJson(text) ?? readPlainYaml(text)
}

/**
 * Parses text with the full YAML parser. The library js-yaml 5 takes a third of the time for documents with anchors. But it also reports errors
 * after the first document, which kube-apiserver never reads, and its errors lack the details for go-yaml's messages.
 */
export function parseFullYaml(text: string): ParsedYaml {
  const lines = new (loadYamlLibrary().LineCounter)()
  if (control.test(text)) throw new YamlError('control characters are not allowed')
  const document = composeFirstDocument(text, lines)
  if (document === undefined) return { value: null, duplicates: [] }
  const error = findFirstError(document)
  if (error !== undefined) throw new YamlError(formatSyntaxMessage(error, text, lines), { cause: error })
  return buildValue(document.contents, { text, lineAt: (offset) => lines.linePos(offset).line })
}

/**
 * Parses the text as JSON. Returns undefined if YAML would give another result. Most clients that use the YAML media type send JSON, which is
 * faster to parse.
 */
function readAsJson(text: string): JsonValue | undefined {
  if (!/^\s*\{/.test(text) || text.includes('\\u')) return undefined
  try {
    const { value, duplicates, depth } = parseJson(text)
    if (depth > maxRequestDepth) return undefined
    return duplicates.length === 0 ? sortKeys(value) : undefined
  } catch {
    return undefined
  }
}

function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortKeys)
  const sorted: { [key: string]: unknown } = {}
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, sortKeys(value[key]!))
  return sorted as JsonValue
}

const control = /(?![\t\n\r\x85])\p{Cc}|[\ufffe\uffff]/u

/** Parses the first document. Scalars stay text, because the parser's rules for scalars differ from kube-apiserver's. */
function composeFirstDocument(text: string, lines: LineCounter): Document.Parsed | undefined {
  const { Composer } = loadYamlLibrary()
  const composer = new Composer({
    version: '1.1',
    schema: 'failsafe',
    merge: false,
    uniqueKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
  })
  for (const document of composer.compose(limitTokens(text, lines), true, text.length)) return document
  return undefined
}

/** Nesting at which kube-apiserver's YAML parser stops. */
const maxDepth = 10_000

/**
 * Nesting at which the full parser stops. The library's composer is recursive and fills the stack from about 750 levels on. It must not come near
 * the end of the stack, because V8 ends the process if it compiles a regular expression there.
 */
const maxComposedDepth = 400

/** Yields the tokens of a text. Throws if the nesting exceeds a limit. */
function* limitTokens(text: string, lines: LineCounter): Generator<CST.Token, void> {
  const { Lexer, Parser } = loadYamlLibrary()
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let deepest = 0
  for (const lexeme of new Lexer().lex(text)) {
    yield* refuseAbove(deepest, parser.next(lexeme))
    deepest = Math.max(deepest, parser.stack.length)
    if (parser.stack.length > maxDepth) {
      const { line } = lines.linePos(parser.offset)
      throw new YamlError(`${line > 1 ? `line ${line}: ` : ''}exceeded max depth of ${maxDepth}`)
    }
  }
  yield* refuseAbove(deepest, parser.end())
}

/** Yields the tokens of a document whose deepest token is at the given depth. */
function* refuseAbove(depth: number, tokens: Iterable<CST.Token>): Generator<CST.Token, void> {
  for (const token of tokens) {
    if (depth > maxComposedDepth) throw new YamlError('exceeded max depth')
    yield token
  }
}

/** Returns the first error of a document. Ignores errors after the end of a root that is a scalar or in brackets. */
function findFirstError(document: Document.Parsed): YAMLParseError | undefined {
  const root = document.contents
  const closed = isScalar(root) ? root.source !== '' : root !== null && 'flow' in root && root.flow
  const end = closed ? (root?.range?.[1] ?? Infinity) : Infinity
  return document.errors.find((error) => error.pos[0] < end || error.code !== 'UNEXPECTED_TOKEN')
}
