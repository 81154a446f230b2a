import { expect, test } from 'vitest'
import { createBasicChecks } from './basic-checks.ts'
import type { CheckedProcess } from './basic-checks.ts'
import type { HealthCheck } from './health.ts'

function createFakeProcess(): CheckedProcess & { time: number; isBlocked: boolean; used: number; turn: number } {
  const fake = {
    time: 0,
    isBlocked: false,
    used: 10,
    turn: 1,
    now: () => fake.time,
    log: {
      get writableNeedDrain(): boolean {
        return fake.isBlocked
      },
    },
    heap: () => ({ used_heap_size: fake.used, heap_size_limit: 100 }),
    waitForTurn: async () => (fake.time += fake.turn),
  }
  return fake
}

async function run(checks: readonly HealthCheck[], name: string): Promise<string> {
  try {
    await checks.find((check) => check.name === name)!.check()
    return 'ok'
  } catch (error) {
    return (error as Error).message
  }
}

test('the log fails when it has been blocked for two minutes', async () => {
  const fake = createFakeProcess()
  const { livez } = createBasicChecks(fake)
  fake.isBlocked = true
  expect(await run(livez, 'log')).toBe('ok')
  fake.time += 119_000
  expect(await run(livez, 'log')).toBe('ok')
  fake.time += 2000
  expect(await run(livez, 'log')).toBe('logging blocked')
  fake.isBlocked = false
  expect(await run(livez, 'log')).toBe('ok')
  fake.isBlocked = true
  expect(await run(livez, 'log')).toBe('ok')
})

test('the event loop fails when a turn takes seconds', async () => {
  const fake = createFakeProcess()
  const { livez } = createBasicChecks(fake)
  expect(await run(livez, 'keelson/event-loop')).toBe('ok')
  fake.turn = 6000
  expect(await run(livez, 'keelson/event-loop')).toBe('a turn of the event loop took 6000 ms')
})

test('the heap fails when it stays full for a minute', async () => {
  const fake = createFakeProcess()
  const { livez, healthz } = createBasicChecks(fake)
  fake.used = 96
  expect(await run(livez, 'keelson/heap')).toBe('ok')
  fake.time += 61_000
  expect(await run(healthz, 'keelson/heap')).toBe("more than 95 % of the heap's limit is in use")
  fake.used = 50
  expect(await run(livez, 'keelson/heap')).toBe('ok')
})

test('the checks of the process do not influence readiness', () => {
  expect(createBasicChecks(createFakeProcess()).readyz.map(({ name }) => name)).toEqual(['ping', 'log'])
})
