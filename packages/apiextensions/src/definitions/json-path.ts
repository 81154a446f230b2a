import { FieldPath, fieldError } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import type { Schema } from './hub-spec.ts'
import { isEmpty, getSingleSchema } from './subschemas.ts'

/** Checks that a path of a column or of the subresource scale begins with a dot. Returns an error otherwise. */
export function validateSimpleJsonPath(text: string, path: FieldPath): FieldErrorList {
  return text.startsWith('.') ? [] : [fieldError.invalid(path, text, 'must be a simple json path starting with .')]
}

/** The field that a path refers to. */
export interface ResolvedPath {
  readonly path: FieldPath
  /** The name of the first step. */
  readonly root: string
  readonly schema: Schema | undefined
}

/**
 * Resolves a path such as `.spec.replicas` or `.labels['a.b']` in a schema, as kube-apiserver does for selectable fields and rules. Returns
 * an error message for an invalid path.
 */
export function resolveJsonPath(text: string, schema: Schema, options: { readonly allowsBrackets: boolean }): ResolvedPath | string {
  const tokens = tokenize(text)
  let path: FieldPath | undefined
  let root = ''
  let current: Schema | undefined = schema
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (token !== '.' && token !== '[') return `expected [ or . but got: ${token}`
    if (token === '[' && !options.allowsBrackets) return 'array notation is not allowed'
    let name = tokens[++i]
    if (name === undefined) return 'unexpected end of JSON path'
    if (token === '[') {
      if (name.length < 2 || !name.startsWith("'") || !name.endsWith("'")) return `expected single quoted string but got ${name}`
      const unescaped = unescape(name.slice(1, -1))
      if (unescaped.problem !== undefined) return unescaped.problem
      name = unescaped.text
    }
    const properties = findProperties(current)
    if (properties === undefined ? current?.additionalProperties === undefined : !Object.hasOwn(properties, name)) {
      return 'does not refer to a valid field'
    }
    const isNamed = properties !== undefined
    current = isNamed ? properties[name] : getSingleSchema(current?.additionalProperties)
    if (path === undefined) {
      path = new FieldPath(name, undefined, !isNamed)
      root = isNamed ? name : `[${name}]`
    } else path = isNamed ? path.child(name) : path.key(name)
    if (token === '[') {
      const close = tokens[++i]
      if (close === undefined) return 'unexpected end of JSON path'
      if (close !== ']') return `expected ] but got ${close}`
    }
  }
  return path === undefined ? 'does not refer to a valid field' : { path, root, schema: current }
}

/**
 * Returns the `fieldPath` of a rule, such as `.spec['a.b']`, as validation errors print it. Returns undefined if the schema has no such
 * field.
 */
export function parseRuleFieldPath(text: string, schema: Schema): string | undefined {
  if (text === '') return ''
  const resolved = resolveJsonPath(text, schema, { allowsBrackets: true })
  return typeof resolved === 'string' ? undefined : resolved.path.toString()
}

/** Returns the properties of a schema; undefined if it has none. */
function findProperties(schema: Schema | undefined): Readonly<Record<string, Schema>> | undefined {
  const properties = schema?.properties
  return properties === undefined || isEmpty(properties) ? undefined : properties
}

/** Splits a path into delimiters and the texts between them. A text that begins with a quote extends to the closing quote. */
function tokenize(text: string): string[] {
  const tokens: string[] = []
  let start = 0
  while (start < text.length) {
    let end = start
    if (text[start] === "'") {
      do end = text.indexOf("'", end + 1)
      while (end > 0 && text[end - 1] === '\\')
      end = end < 0 ? text.length : end + 1
    } else {
      while (end < text.length && !'.[]'.includes(text[end]!)) end++
      if (end === start) end++
    }
    tokens.push(text.slice(start, end))
    start = end
  }
  return tokens
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

function unescape(text: string): { readonly text: string; readonly problem?: string } {
  let problem: string | undefined
  const unescaped = text.replace(/\\./g, (match) => {
    const escape = escapes[match[1]!]
    if (escape === undefined) problem = `invalid string literal: invalid escape char ${match}`
    return escape ?? ''
  })
  return { text: unescaped, ...(problem !== undefined && { problem }) }
}
