import type { RequestLabels } from './counted-client.ts'

/** Counts of one kind of request. */
export interface RequestCount {
  readonly labels: RequestLabels
  readonly byCode: Map<number, number>
  bytes: number
}

const maxProblems = 20

/** Requests, changes and events of one part, as the clients count them. */
export class Tally {
  /** All requests, including those that the server does not count by resource. */
  requests = 0
  readonly kinds = new Map<string, RequestCount>()
  /** Committed changes by resource. */
  readonly changes = new Map<string, number>()
  /** Received watch events and their bytes by resource. */
  readonly events = new Map<string, { events: number; bytes: number }>()
  /** Milliseconds of reads of single objects. */
  readonly reads: number[] = []
  /** Milliseconds between sending a change and receiving its event. */
  readonly lags: number[] = []
  /** First unexpected answers. */
  readonly problems: string[] = []
  readyChecks = 0

  countRequest(labels: RequestLabels | undefined, status: number, bytes: number): void {
    this.requests++
    if (labels === undefined) return
    const key = Object.values(labels).join(' ')
    let kind = this.kinds.get(key)
    if (kind === undefined) this.kinds.set(key, (kind = { labels, byCode: new Map(), bytes: 0 }))
    kind.byCode.set(status, (kind.byCode.get(status) ?? 0) + 1)
    kind.bytes += bytes
  }

  countChanges(resource: string, count = 1): void {
    this.changes.set(resource, (this.changes.get(resource) ?? 0) + count)
  }

  countEvents(resource: string, events: number, bytes: number): void {
    const counted = this.events.get(resource) ?? { events: 0, bytes: 0 }
    this.events.set(resource, { events: counted.events + events, bytes: counted.bytes + bytes })
  }

  report(problem: string): void {
    if (this.problems.length < maxProblems) this.problems.push(problem)
  }
}
