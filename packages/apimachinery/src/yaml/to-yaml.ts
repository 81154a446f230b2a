import { Emitter } from './emitter.ts'
import { formatFloat } from './format-float.ts'
import { compareKeys } from './key-order.ts'
import { needsExplicitKey } from './scalar-style.ts'
import { YamlError } from './yaml-error.ts'

/** Formats a JSON value as YAML in kube-apiserver's style: block style, two spaces of indentation, lists not indented within maps, keys sorted. */
export function toYaml(value: unknown): string {
  const emitter = new Emitter()
  try {
    writeNode(emitter, value, { indent: -2, inMapping: false })
  } catch (e) {
    if (e instanceof RangeError) throw new YamlError('exceeded max depth', { cause: e })
    throw e
  }
  emitter.indent(0)
  return emitter.text()
}

interface Context {
  /** Indentation of the collection that contains the value. */
  readonly indent: number
  readonly inMapping: boolean
}

function writeNode(emitter: Emitter, value: unknown, context: Context): void {
  if (Array.isArray(value)) writeList(emitter, value, context)
  else if (typeof value === 'object' && value !== null) writeMapping(emitter, value as { [key: string]: unknown }, context)
  else if (typeof value === 'string') emitter.scalar(value, Math.max(context.indent, 0) + 2, false)
  else emitter.plain(formatScalar(value), 0, false)
}

function formatScalar(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 1e21 ? String(value) : formatFloat(value)
  return typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : 'null'
}

function writeList(emitter: Emitter, list: readonly unknown[], context: Context): void {
  if (list.length === 0) return emitter.indicator('[]', { spaced: true })
  const indent = context.inMapping && !emitter.indention ? context.indent : context.indent + 2
  for (const item of list) {
    emitter.indent(indent)
    emitter.indicator('-', { spaced: true, indention: true })
    writeNode(emitter, item, { indent, inMapping: false })
  }
}

function writeMapping(emitter: Emitter, object: { readonly [key: string]: unknown }, context: Context): void {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined)
  if (keys.length === 0) return emitter.indicator('{}', { spaced: true })
  const indent = context.indent + 2
  for (const key of keys.sort(compareKeys)) {
    emitter.indent(indent)
    if (needsExplicitKey(key)) {
      emitter.indicator('?', { spaced: true, indention: true })
      emitter.scalar(key, indent + 2, false)
      emitter.indent(indent)
      emitter.indicator(':', { spaced: true, indention: true })
    } else {
      emitter.scalar(key, indent + 2, true)
      emitter.indicator(':', {})
    }
    writeNode(emitter, object[key], { indent, inMapping: true })
  }
}
