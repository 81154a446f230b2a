import { createPathAction } from '@keelson/apimachinery'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { expect } from 'vitest'
import type { FairRequest } from './fair-request.ts'
import { createFlowSchemaCounters, Flow } from './flow.ts'
import type { FlowSchemaCounters } from './flow.ts'
import { createQueueSet } from './queue-set.ts'
import type { QueueSet } from './queue-set.ts'
import type { Queuing } from './queuing.ts'
import { SeatDemand } from './seat-demand.ts'

/** A client whose threads alternate between a request and a pause. Times are in milliseconds. */
export interface UniformClient {
  readonly hash: number
  readonly threads: number
  readonly calls: number
  readonly execution: number
  /** Time between two requests of a thread. If it is negative, the next request begins before the previous one ends. */
  readonly pause: number
  readonly initialSeats?: number
  readonly finalSeats?: number
  readonly additionalLatency?: number
  /** True if only half of the threads run in the first half of the scenario. */
  readonly isSplit?: boolean
}

export interface UniformScenario {
  readonly queuing: Queuing
  readonly seats: number
  readonly duration: number
  readonly clients: readonly UniformClient[]
}

export interface UniformOutcome {
  readonly queueSet: QueueSet
  readonly counters: readonly FlowSchemaCounters[]
  /** Average seats that each client had in each half of the scenario, and what a fair division of the seats would give it. */
  readonly halves: readonly (readonly { readonly average: number; readonly fair: number }[])[]
  readonly total: readonly { readonly average: number; readonly fair: number }[]
  /** Longest wait of a request of each client in milliseconds. */
  readonly longestWaits: readonly number[]
}

const details = { user: { name: 'client', groups: [] }, attributes: createPathAction('get', '/') }

/** Runs the clients against a queue set in simulated time. Checks the seat demand that the queue set reports. */
export async function runUniformClients({ queuing, seats, duration, clients }: UniformScenario): Promise<UniformOutcome> {
  const clock = createManualClock(1000)
  const queueSet = createQueueSet({ name: 'level', queuing, seats, clock })
  const demand = new Tally(clock)
  const longestWaits = clients.map(() => 0)
  const runs = clients.map((client, index) => {
    const counters = createFlowSchemaCounters(`client${index}`)
    const flow = new Flow(counters, '', [
      0,
      Math.floor(client.hash / 2 ** 32) % 65_536,
      Math.floor(client.hash / 65_536) % 65_536,
      client.hash % 65_536,
    ])
    const used = new Tally(clock)
    const { initialSeats = 1, finalSeats = 1, additionalLatency = 0 } = client
    const width = Math.max(initialSeats, finalSeats)
    const execute = (request: FairRequest, next: () => void): void => {
      longestWaits[index] = Math.max(longestWaits[index] as number, request.waited)
      used.add(initialSeats)
      clock.after(client.execution + client.pause, next)
      clock.after(client.execution, () => {
        used.add(-initialSeats)
        clock.after(additionalLatency, () => demand.add(-width))
        request.leave()
      })
    }
    const call = (remaining: number): void => {
      if (remaining === 0) return
      const request = queueSet.start(flow, { initialSeats, finalSeats, additionalLatency }, details)
      if (typeof request === 'string') return
      demand.add(width)
      const next = (): void => call(remaining - 1)
      if (request.isWaiting) void request.waitForDecision().then(() => execute(request, next))
      else execute(request, next)
    }
    for (let thread = 0; thread < client.threads; thread++) {
      const isLate = client.isSplit === true && thread >= client.threads / 2
      const delay = (90 * thread + 20 * index) / 1e6
      clock.after(isLate ? delay + duration / 2 : delay, () => call(isLate ? client.calls / 2 : client.calls))
    }
    return { client, counters, used, averages: [] as number[] }
  })
  for (const half of [0, 1]) {
    await clock.pass(duration / 2)
    for (const run of runs) run.averages[half] = run.used.demand.reset().average
    const reported = queueSet.demand.read()
    expect(reported.average).toBeCloseTo(demand.demand.read().average, 6)
    expect(reported.deviation || 0).toBeCloseTo(demand.demand.read().deviation || 0, 3)
  }
  await clock.pass(duration * 10)
  const compareWithFair = (averages: readonly number[], share: (client: UniformClient) => number): { average: number; fair: number }[] => {
    const demands = runs.map(
      ({ client }) => (client.threads * share(client) * (client.initialSeats ?? 1) * client.execution) / (client.execution + client.pause),
    )
    const fair = divideFairly(demands, seats)
    return averages.map((average, index) => ({ average, fair: fair[index] as number }))
  }
  return {
    queueSet,
    counters: runs.map(({ counters }) => counters),
    longestWaits,
    halves: [0, 1].map((half) =>
      compareWithFair(
        runs.map(({ averages }) => averages[half] as number),
        (client) => (client.isSplit === true && half === 0 ? 0.5 : 1),
      ),
    ),
    total: compareWithFair(
      runs.map(({ averages: [first = 0, second = 0] }) => (first + second) / 2),
      () => 1,
    ),
  }
}

/** Returns the max-min fair division: nobody gets more than the demand, and unused shares are divided among the others. */
export function divideFairly(demands: readonly number[], capacity: number): number[] {
  const shares = demands.map(() => 0)
  let remaining = capacity
  const order = demands.map((_, index) => index).toSorted((a, b) => (demands[a] as number) - (demands[b] as number))
  for (const [position, index] of order.entries()) {
    const share = Math.min(demands[index] as number, remaining / (order.length - position))
    shares[index] = share
    remaining -= share
  }
  return shares
}

/** A number that changes over time. */
class Tally {
  readonly demand: SeatDemand
  readonly #clock: ManualClock

  constructor(clock: ManualClock) {
    this.#clock = clock
    this.demand = new SeatDemand(clock.now)
  }

  add(change: number): void {
    this.demand.set(this.demand.value + change, this.#clock.now())
  }
}
