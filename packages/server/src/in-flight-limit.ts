import type { RequestInfo, UserInfo } from '@keelson/apimachinery'
import { mastersGroup } from '@keelson/auth'
import type { Value } from '@keelson/apimachinery/metrics'

const readOnlyVerbs = new Set(['get', 'list', 'watch'])

export interface InFlightLimits {
  /** 0: no limit. */
  readonly readOnly: number
  readonly mutating: number
}

/** Counts what is being served; `enter` is false where one more would be too many. What entered must `leave` through the same kind. */
export interface InFlightLimit {
  kindOf(info: RequestInfo): InFlightKind
  enter(kind: InFlightKind, user: UserInfo): boolean
  leave(kind: InFlightKind): void
}
export type InFlightKind = 'readOnly' | 'mutating'

export function createInFlightLimit(limits: InFlightLimits, current: Readonly<Record<InFlightKind, Value>>): InFlightLimit {
  return {
    kindOf: (info) => (readOnlyVerbs.has(info.verb) ? 'readOnly' : 'mutating'),
    enter: (kind, user) => {
      const limit = limits[kind]
      // An administrator who wants to see what is wrong must get an answer, however busy the server is.
      if (limit > 0 && current[kind].value >= limit && !user.groups.includes(mastersGroup)) return false
      current[kind].value++
      return true
    },
    leave: (kind) => {
      current[kind].value--
    },
  }
}
