import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildReference, runInReference } from './reference-outcomes.ts'
import { runScenario } from './run-scenario.ts'
import { arbitraryScenario } from './scenario.ts'
import type { Scenario, ScenarioOutcome, ScenarioRequest } from './scenario.ts'

const program = await buildReference()
const count = Number(process.env['FAIR_QUEUING_SCENARIOS'] ?? 2000)
const seed = Number(process.env['FAIR_QUEUING_SEED'] ?? 1)

/** Metrics that kube-apiserver keeps at 0, or does not show at all, while nothing happens. */
function fillMetrics(shown: Readonly<Record<string, number>>, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, shown[name] ?? 0]))
}

/** True if a request has more final seats than the level. kube-apiserver then subtracts a wrong number of waiting seats. */
function mayMiscountSeats({ level, requests, changes }: Scenario): boolean {
  const seats = Math.min(level.seats, ...changes.map((change) => change.seats))
  return requests.some(({ finalSeats }) => finalSeats > seats)
}

function findDifference(scenario: Scenario, expected: ScenarioOutcome, received: ScenarioOutcome): unknown {
  const index = expected.events.findIndex((event, position) => event !== received.events[position])
  if (index !== -1)
    return {
      index,
      before: expected.events.slice(Math.max(0, index - 3), index),
      expected: expected.events[index],
      received: received.events[index],
    }
  const names = Object.keys(received.metrics).filter((name) => name !== 'current_inqueue_seats' || !mayMiscountSeats(scenario))
  const metrics = fillMetrics(expected.metrics, names)
  const differentMetrics = names.filter((name) => Math.abs((metrics[name] as number) - (received.metrics[name] as number)) > 1e-9)
  if (differentMetrics.length > 0)
    return differentMetrics.map((name) => ({ name, expected: metrics[name], received: received.metrics[name] }))
  const hasSameDemand = expected.demand.every((value, position) => Math.abs(value - (received.demand[position] as number)) < 1e-6)
  return hasSameDemand || mayMiscountSeats(scenario) ? undefined : { expected: expected.demand, received: received.demand }
}

function changeRequests(scenario: Scenario, change: (request: ScenarioRequest) => Partial<ScenarioRequest>): Scenario {
  return { ...scenario, requests: scenario.requests.map((request) => Object.assign({}, request, change(request))) }
}

/** Faults that the comparison must find: the queue set of this project gets another scenario than kube-apiserver's. */
const plantedFaults: Readonly<Record<string, (scenario: Scenario) => Scenario>> = {
  'ignores the additional latency': (scenario) => changeRequests(scenario, () => ({ latency: 0 })),
  'ignores final seats': (scenario) => changeRequests(scenario, () => ({ finalSeats: 0 })),
  'gives every request one seat': (scenario) => changeRequests(scenario, () => ({ initialSeats: 1 })),
  'keeps requests of clients that leave': (scenario) => changeRequests(scenario, () => ({ patience: 0 })),
  'measures whole milliseconds': (scenario) => changeRequests(scenario, ({ duration }) => ({ duration: Math.round(duration / 1e6) * 1e6 })),
  'treats all requests as one flow': (scenario) => changeRequests(scenario, () => ({ flow: 0 })),
  'queues one request more': ({ level, ...scenario }) => ({
    ...scenario,
    level: { ...level, queueLengthLimit: level.queueLengthLimit + 1 },
  }),
  'deals a smaller hand': ({ level, ...scenario }) => ({ ...scenario, level: { ...level, handSize: Math.ceil(level.handSize / 2) } }),
}

describe.skipIf(program === undefined)('a queue set', () => {
  test(`dispatches and rejects as kube-apiserver's does in ${count} random scenarios (seed ${seed})`, { timeout: 600_000 }, async () => {
    const scenarios = fc.sample(arbitraryScenario, { numRuns: count, seed })
    let index = 0
    let waited = 0
    for await (const expected of runInReference(program ?? '', scenarios)) {
      const scenario = scenarios[index++] as Scenario
      const received = await runScenario(scenario)
      const difference = findDifference(scenario, expected, received)
      expect(difference, `scenario ${index - 1}: ${JSON.stringify(scenario)}`).toBeUndefined()
      if (received.events.some((event) => / waiting [1-9]|^waiting [1-9]/.test(event))) waited++
    }
    expect(index).toBe(count)
    expect(waited, 'scenarios with waiting requests').toBeGreaterThan(count / 2)
  })

  test.each(Object.entries(plantedFaults))('is found to differ if it %s', { timeout: 120_000 }, async (_name, plant) => {
    const scenarios = fc.sample(arbitraryScenario, { numRuns: 100, seed })
    let index = 0
    let differences = 0
    for await (const expected of runInReference(program ?? '', scenarios)) {
      const scenario = scenarios[index++] as Scenario
      if (findDifference(scenario, expected, await runScenario(plant(scenario))) !== undefined) differences++
    }
    expect(differences).toBeGreaterThan(0)
  })
})
