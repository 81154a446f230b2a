import path from 'node:path'
import type { JsonValue } from '@keelson/apimachinery'

/** An object in a kubeconfig. */
export type Struct = Readonly<Record<string, JsonValue | undefined>>

/** Resolves a path in a kubeconfig against the directory of that file. */
export function resolvePath(file: string, name: string): string {
  return name === '' ? '' : path.resolve(path.dirname(file), name)
}

export function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null
}

export function readText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Decodes a member in base64. */
export function decode(value: JsonValue | undefined): string {
  return Buffer.from(readText(value), 'base64').toString('utf8')
}

export function toStruct(value: JsonValue | undefined): Struct {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
