import { createManualClock } from '@keelson/apimachinery/testing'
import { expect, test } from 'vitest'
import { connectServiceManager } from './service-manager.ts'

const socket = { NOTIFY_SOCKET: '/run/systemd/notify' }

function connectFake(environment: Readonly<Record<string, string>>, fails = false) {
  const clock = createManualClock()
  const messages: string[] = []
  const errors: unknown[] = []
  const send = (args: readonly string[]): Promise<void> => {
    messages.push(args.join(' '))
    return fails ? Promise.reject(new Error('spawn systemd-notify ENOENT')) : Promise.resolve()
  }
  const manager = connectServiceManager({ environment, onError: (error) => errors.push(error), pid: 42, clock, send })
  return { manager, clock, messages, errors }
}

test('sends no messages without systemd', () => {
  expect(connectFake({}).manager).toBeUndefined()
})

test('sends messages in order, for this process', async () => {
  const { manager, messages } = connectFake(socket)
  void manager!.notify('READY=1', 'STATUS=Serving at https://127.0.0.1:6443')
  await manager!.notify('STOPPING=1')
  expect(messages).toEqual(['--pid=42 READY=1 STATUS=Serving at https://127.0.0.1:6443', '--pid=42 STOPPING=1'])
})

test('sends the watchdog two messages per interval', async () => {
  const { manager, clock, messages } = connectFake({ ...socket, WATCHDOG_USEC: '30000000', WATCHDOG_PID: '42' })
  await clock.pass(14_999)
  await clock.pass(1)
  await clock.pass(15_000)
  await manager!.notify('STOPPING=1')
  expect(messages).toEqual(['--pid=42 WATCHDOG=1', '--pid=42 WATCHDOG=1', '--pid=42 STOPPING=1'])
  const forOtherProcess = connectFake({ ...socket, WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' })
  await forOtherProcess.clock.pass(60_000)
  expect(forOtherProcess.messages).toEqual([])
})

test('reports a failure once, and continues', async () => {
  const { manager, errors, messages } = connectFake(socket, true)
  await manager!.notify('READY=1')
  await manager!.notify('STOPPING=1')
  expect(messages).toHaveLength(2)
  expect(errors).toHaveLength(1)
})
