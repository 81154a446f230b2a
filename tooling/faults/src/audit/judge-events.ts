import type { AnsweredRequest } from './audited-load.ts'

export interface RecordedEvent {
  readonly auditID: string
  readonly stage: string
  readonly responseStatus?: { readonly code?: number }
}

/** Parses the lines of a log. A process that was killed may leave an incomplete line at the end. Throws for another invalid line. */
export function parseLog(text: string, wasKilled: boolean): readonly RecordedEvent[] {
  const lines = text.split('\n')
  const last = lines.pop()!
  if (last !== '' && !wasKilled) throw new Error(`the log ends with an incomplete line: ${last.slice(0, 100)}`)
  return lines.map((line) => {
    try {
      return JSON.parse(line) as RecordedEvent
    } catch {
      throw new Error(`the log has an invalid line: ${line.slice(0, 200)}`)
    }
  })
}

/** Returns the problems of a log: events of answered requests that are lost, contradict the response or are recorded twice. */
export function findWrongEvents(events: readonly RecordedEvent[], answered: readonly AnsweredRequest[]): readonly string[] {
  const problems: string[] = []
  const stages = new Map<string, number>()
  for (const { auditID, stage, responseStatus } of events) {
    const key = `${auditID} ${stage}`
    if (stages.has(key)) problems.push(`${key} is recorded twice`)
    stages.set(key, responseStatus?.code ?? 0)
  }
  for (const { id, status } of answered) {
    const code = stages.get(`${id} ResponseComplete`)
    if (code === undefined) problems.push(`${id}: the event of its response is lost`)
    else if (code !== status) problems.push(`${id}: got ${status}, but its event has ${code}`)
    if (!stages.has(`${id} RequestReceived`)) problems.push(`${id}: the event of its arrival is lost`)
  }
  return problems
}

/** Returns the answered requests that a log lost although it has the events of requests that were sent after their responses. */
export function findGaps(events: readonly RecordedEvent[], answered: readonly AnsweredRequest[]): readonly string[] {
  const recorded = new Set(events.filter(({ stage }) => stage === 'ResponseComplete').map(({ auditID }) => auditID))
  const latest = Math.max(...answered.filter(({ id }) => recorded.has(id)).map(({ sent }) => sent))
  return answered
    .filter((request) => !recorded.has(request.id) && request.answered < latest)
    .map(({ id }) => `${id} is lost, later events are not`)
}
