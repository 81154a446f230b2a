import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { pause, systemClock } from './clock.ts'
import { createManualClock } from './testing/index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('supports waits longer than the maximum of a timer', () => {
  const call = vi.fn()
  const days = 30 * 24 * 3_600_000
  systemClock.after(days, call)
  vi.advanceTimersByTime(days - 1)
  expect(call).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(call).toHaveBeenCalledOnce()
})

it('rounds waits of a minute or more up to seconds', () => {
  const call = vi.fn()
  systemClock.after(59_999.5, call)
  systemClock.after(60_000.5, call)
  vi.advanceTimersByTime(60_000)
  expect(call).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1000)
  expect(call).toHaveBeenCalledTimes(2)
})

it('can cancel a long wait, which consists of several timers', () => {
  const call = vi.fn()
  const cancel = systemClock.after(2 ** 32, call)
  vi.advanceTimersByTime(2 ** 31)
  cancel()
  vi.advanceTimersByTime(2 ** 32)
  expect(call).not.toHaveBeenCalled()
})

it('ends a pause when its time is over or its signal aborts', async () => {
  const clock = createManualClock()
  const over: string[] = []
  const aborted = new AbortController()
  const pauses = [
    pause(clock, 100).then(() => over.push('time')),
    pause(clock, 1000, { signal: aborted.signal }).then(() => over.push('signal')),
    pause(clock, 1000, { signal: AbortSignal.abort() }).then(() => over.push('before')),
  ]
  clock.advance(100)
  await pauses[0]
  aborted.abort()
  await Promise.all(pauses)
  expect(over).toEqual(['before', 'time', 'signal'])
})
