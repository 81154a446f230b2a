import type { StructSchema } from './type-schema.ts'

const escaped = /[<>&\u2028\u2029]/
const escapedAll = /[<>&\u2028\u2029]/g
const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** JSON text as Go writes it: `<`, `>`, `&` and the two line separators escaped, `bigint` as a number, lone surrogates replaced. */
export function stringifyJson(value: unknown): string {
  const text = nativeJson(value)
  return escaped.test(text) ? text.replace(escapedAll, (c) => escapes[c]!) : text
}

/**
 * The text of an object that `decodeStruct` made (or that has its shape): fields already stand in schema order, so nothing is looked up.
 * With a schema that has a kind, `typeMeta` writes `kind` and `apiVersion` first.
 */
export function encodeJson(schema: StructSchema, object: unknown, options: { readonly typeMeta?: boolean } = {}): string {
  const body = stringifyJson(object)
  if (options.typeMeta !== true || schema.gvk === undefined) return body
  const { group, version, kind } = schema.gvk
  const head = `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(group === '' ? version : `${group}/${version}`)}`
  return body === '{}' ? `{${head}}` : `{${head},${body.slice(1)}`
}

/** JSON.stringify finds a `bigint` by throwing, so that objects without one pay nothing for it. */
function nativeJson(value: unknown): string {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? 'null' : goEscapes(text)
  } catch (e) {
    if (e instanceof TypeError) return stringifyExactly(value)
    throw e
  }
}

function goEscapes(text: string): string {
  return text.includes('\\ud') ? text.replace(/(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g, '$1\\ufffd') : text
}

/** For values with `bigint` in them. */
function stringifyExactly(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return nativeJson(value)
  if (Array.isArray(value)) return `[${value.map(stringifyExactly).join(',')}]`
  const members: string[] = []
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) members.push(`${nativeJson(key)}:${stringifyExactly(member)}`)
  return `{${members.join(',')}}`
}
