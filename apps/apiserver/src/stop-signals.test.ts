import { expect, test } from 'vitest'
import { createStopSignals } from './stop-signals.ts'

test('treats signals in quick succession as one, and aborts the shutdown on a later signal', () => {
  const done: string[] = []
  let time = 1000
  const onSignal = createStopSignals({ stop: (signal) => done.push(signal), abandon: () => done.push('abandoned'), now: () => time })
  onSignal('SIGINT')
  onSignal('SIGINT')
  time += 400
  onSignal('SIGTERM')
  expect(done).toEqual(['SIGINT'])
  time += 200
  onSignal('SIGINT')
  expect(done).toEqual(['SIGINT', 'abandoned'])
})
