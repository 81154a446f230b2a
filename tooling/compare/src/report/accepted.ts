import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A known difference that is accepted. It is not counted as a failure. */
export interface Accepted {
  /** Regular expression that matches the names of accepted groups. */
  readonly group: string
  readonly reason: string
}

export const acceptedFile: string = path.join(import.meta.dirname, '../../accepted.json')

export function readAccepted(): readonly Accepted[] {
  return JSON.parse(readFileSync(acceptedFile, 'utf8')) as readonly Accepted[]
}

export function findReason(group: string, accepted: readonly Accepted[]): string | undefined {
  return accepted.find(({ group: pattern }) => new RegExp(pattern).test(group))?.reason
}
