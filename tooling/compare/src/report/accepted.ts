import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A known difference that Keelson does not fix. */
export interface Accepted {
  /** Regular expression for names of groups. */
  readonly group: string
  readonly reason: string
}

export const acceptedFile: string = path.join(import.meta.dirname, '../../accepted.json')

export function readAccepted(): readonly Accepted[] {
  return JSON.parse(readFileSync(acceptedFile, 'utf8')) as readonly Accepted[]
}

export function reasonFor(group: string, accepted: readonly Accepted[]): string | undefined {
  return accepted.find(({ group: pattern }) => new RegExp(pattern).test(group))?.reason
}
