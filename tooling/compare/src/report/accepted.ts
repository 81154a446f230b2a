import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A difference that is none of ours to mend. */
export interface Accepted {
  /** A pattern for the names of groups. */
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
