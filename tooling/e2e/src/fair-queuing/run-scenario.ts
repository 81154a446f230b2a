import { createPathAction } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { createFlow, createFlowSchemaCounters, createQueueSet } from '@keelson/flowcontrol'
import type { FairRequest, QueueDump, QueueSet, Queuing, RequestDump } from '@keelson/flowcontrol'
import type { Scenario, ScenarioLevel, ScenarioOutcome, ScenarioRequest } from './scenario.ts'

/** Kinds of events. Events at the same time run in this order, and then by number, as in `main.go`. */
const kinds = { release: 0, finish: 1, leave: 2, change: 3, arrival: 4 } as const

interface Event {
  readonly at: number
  readonly kind: number
  readonly number: number
  readonly run: () => void
}

const details = { user: { name: 'user', groups: [] }, attributes: createPathAction('get', '/') }

/** Runs a scenario with a queue set of `@keelson/flowcontrol`. */
export async function runScenario(scenario: Scenario): Promise<ScenarioOutcome> {
  const events: string[] = []
  const queue: Event[] = []
  const start = 1000 * 1e9
  let now = 0
  let finishing = 0
  const schedule = (event: Event): void => {
    const index = queue.findIndex((other) => compareEvents(event, other) < 0)
    queue.splice(index === -1 ? queue.length : index, 0, event)
  }
  const log = (what: string, number: number): void => void events.push(`${now} ${what} ${number}`)
  const clock: Clock = {
    now: () => (start + now) / 1e6,
    after(milliseconds, call) {
      const number = finishing
      const run = (): void => {
        call()
        log('release', number)
      }
      schedule({ at: now + Math.round(milliseconds * 1e6), kind: kinds.release, number, run })
      return () => {}
    },
  }
  const counters = createFlowSchemaCounters('schema')
  const lengths = { count: 0, sum: 0 }
  const level = createQueueSet({
    name: 'level',
    ...convertLevel(scenario.level),
    clock,
    observer: {
      recordQueueLength(_counters, length) {
        lengths.count++
        lengths.sum += length
      },
    },
  })
  const flows = scenario.flows.map((name) => createFlow(counters, name))
  let dispatched: { readonly number: number; readonly wanted: ScenarioRequest; readonly request: FairRequest }[] = []
  const startRequest = (wanted: ScenarioRequest, number: number): void => {
    const { initialSeats, finalSeats, latency, patience } = wanted
    const request = level.start(flows[wanted.flow]!, { initialSeats, finalSeats, additionalLatency: latency / 1e6 }, details)
    if (typeof request === 'string') return log('reject', number)
    // Also a promise if the request does not wait, so that it comes after the requests that were dispatched before it.
    const decided = request.isWaiting ? request.waitForDecision() : Promise.resolve(true)
    void decided.then((isExecuting) => isExecuting && dispatched.push({ number, wanted, request }))
    if (!request.isWaiting) return
    if (patience === 0) return
    const run = (): void => {
      if (!request.isWaiting) return
      request.cancel()
      log('cancel', number)
    }
    schedule({ at: now + patience, kind: kinds.leave, number, run })
  }
  const noteDispatched = (): void => {
    for (const { number, wanted, request } of dispatched) {
      log('dispatch', number)
      const run = (): void => {
        finishing = number
        request.leave()
        log('finish', number)
      }
      schedule({ at: now + wanted.duration, kind: kinds.finish, number, run })
    }
    dispatched = []
  }
  for (const [number, change] of scenario.changes.entries()) {
    const run = (): void => {
      const { queuing, seats } = convertLevel(change)
      level.configure(queuing, seats)
      log('change', number)
    }
    schedule({ at: change.at, kind: kinds.change, number, run })
  }
  for (const [number, request] of scenario.requests.entries()) {
    schedule({ at: request.at, kind: kinds.arrival, number, run: () => startRequest(request, number) })
  }
  for (let count = 1; queue.length > 0; count++) {
    const next = queue.shift()!
    now = next.at
    next.run()
    // The promises of dispatched requests are settled now, and their callbacks run in the order of the dispatch.
    await Promise.resolve()
    await Promise.resolve()
    noteDispatched()
    if (count % 8 === 0) events.push(describe(level))
  }
  events.push(describe(level))
  const { rejected } = counters
  const { progress, dispatchProgress, dispatchTurn, minTurn, maxTurn } = level.readings
  const { milliseconds, average, max } = level.demand.read()
  return {
    events,
    metrics: {
      current_executing_requests: counters.executingRequests,
      current_executing_seats: counters.seatsInUse,
      current_inqueue_requests: counters.waitingRequests,
      current_inqueue_seats: counters.waitingSeats,
      current_r: progress,
      dispatch_r: dispatchProgress,
      latest_s: dispatchTurn,
      'next_s_bounds min': minTurn,
      'next_s_bounds max': maxTurn,
      'rejected_requests_total queue-full': rejected['queue-full'],
      'rejected_requests_total concurrency-limit': rejected['concurrency-limit'],
      'rejected_requests_total time-out': rejected['time-out'],
      request_dispatch_no_accommodation_total: counters.unaccommodated,
      'request_queue_length_after_enqueue count': lengths.count,
      'request_queue_length_after_enqueue sum': lengths.sum,
    },
    demand: [milliseconds / 1000, milliseconds === 0 ? 0 : average, max],
  }
}

function compareEvents(a: Event, b: Event): number {
  return a.at - b.at || a.kind - b.kind || a.number - b.number
}

function convertLevel({ queues, queueLengthLimit, handSize, seats }: ScenarioLevel): { queuing: Queuing; seats: number } {
  if (queues <= 0) return { queuing: { type: queues < 0 ? 'exempt' : 'reject' }, seats }
  return { queuing: { type: 'queue', queues, queueLengthLimit, handSize }, seats }
}

function describe(level: QueueSet): string {
  const { waitingRequests, executingRequests, seatsInUse, dispatched, rejected, cancelled } = level.counts
  const { queues } = level.dump()
  const total = `waiting ${waitingRequests} executing ${executingRequests} seats ${seatsInUse} dispatched ${dispatched} rejected ${rejected} cancelled ${cancelled} queues ${queues.length}`
  const used = queues.flatMap((queue, index) =>
    queue.waiting.length + queue.executing.length + queue.seatsInUse > 0 ? [`; ${index}: ${describeQueue(queue)}`] : [],
  )
  return total + used.join('')
}

function describeQueue({ waiting, executing, seatsInUse, initialSeats, maxSeats, totalWork, nextDispatch }: QueueDump): string {
  const count = (requests: readonly RequestDump[]): number => requests.length
  return [count(waiting), count(executing), seatsInUse, initialSeats, maxSeats, totalWork, nextDispatch].join(' ')
}
