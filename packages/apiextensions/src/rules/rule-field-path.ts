import { fieldPath } from '@keelson/apimachinery'
import type { FieldPath } from '@keelson/apimachinery'
import { hasProperties, valueSchema } from './schema-type.ts'
import type { Schema } from './schema-type.ts'

/**
 * Parses the `fieldPath` of a rule, such as `.spec['a.b']`. The path may only contain properties and map keys that the schema has. Returns
 * the path as validation errors print it, or undefined if it is invalid.
 */
export function parseRuleFieldPath(text: string, root: Schema): string | undefined {
  const tokens = tokenize(text)
  let path: FieldPath | undefined
  let schema: Schema | undefined = root
  for (let i = 0; i < tokens.length; i++) {
    const delimiter = tokens[i]
    const token = tokens[++i]
    if (token === undefined || schema === undefined) return undefined
    const name = delimiter === '.' ? token : delimiter === '[' ? unquoted(token) : undefined
    if (name === undefined) return undefined
    const isProperty = hasProperties(schema)
    if (!isProperty && schema.additionalProperties === undefined) return undefined
    if (delimiter === '[' && tokens[++i] !== ']') return undefined
    if (isProperty) {
      path = path?.child(name) ?? fieldPath(name)
      schema = Object.hasOwn(schema.properties!, name) ? schema.properties![name] : undefined
      if (schema === undefined) return undefined
    } else {
      path = (path ?? fieldPath()).key(name)
      schema = valueSchema(schema)
    }
  }
  return path?.toString() ?? ''
}

/** Splits a path into the delimiters `.`, `[` and `]`, quoted texts, and the texts between. */
function tokenize(text: string): readonly string[] {
  return text.match(/'(?:[^']|(?<=\\)')*(?:'|$)|[.[\]]|[^.[\]'][^.[\]]*/gs) ?? []
}

const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', "'": "'", '\\': '\\' }

/** Returns the content of a text in single quotes; undefined for other text and invalid escapes. */
function unquoted(token: string): string | undefined {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return undefined
  let isValid = true
  const content = token.slice(1, -1).replace(/\\(.)/gu, (_, letter: string) => {
    isValid &&= Object.hasOwn(escapes, letter)
    return escapes[letter] ?? ''
  })
  return isValid ? content : undefined
}
