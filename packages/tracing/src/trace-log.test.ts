import { afterEach, expect, test, vi } from 'vitest'
import { LoggedTrace } from './trace-log.ts'
import type { TraceLog } from './trace-log.ts'

let clock = 1000

function createLog(options: Partial<TraceLog> = {}): TraceLog & { readonly texts: string[] } {
  clock = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const texts: string[] = []
  const mask = (text: string): string => text.replace(/\d{2}-[A-Z][a-z]{2}-\d{4} /g, 'DATE ').replace(/\d{2}:\d{2}:\d{2}\.\d{3}/g, 'TIME')
  return { isEnabled: () => true, isDetailed: () => false, write: (text) => texts.push(mask(text)), texts, ...options }
}

afterEach(() => vi.restoreAllMocks())

test('logs a slow trace with its slow steps', () => {
  const log = createLog()
  const update = new LoggedTrace(log, 'Update', () => ({ name: 'a', namespace: 'default' }))
  clock += 1
  update.addStep('limitedReadBody succeeded', { len: 10 })
  const write = update.startChild('GuaranteedUpdate etcd3', { key: '/configmaps/default/a' })
  clock += 3
  write.addStep('About to Encode', undefined)
  clock += 600
  write.addStep('Txn call completed', undefined)
  write.end(500)
  update.addStep('Write to database call succeeded', { len: 10 })
  update.end(500)
  expect(log.texts).toEqual([
    `Trace[1073741824]: "Update" name:a,namespace:default (DATE TIME) (total time: 604ms):
Trace[1073741824]: ["GuaranteedUpdate etcd3" key:/configmaps/default/a 603ms (TIME)
Trace[1073741824]:  ---"Txn call completed" 600ms (TIME)]
Trace[1073741824]: [604ms] [604ms] END
`,
  ])
})

test('logs nothing if the trace was fast', () => {
  const log = createLog()
  const get = new LoggedTrace(log, 'Get', undefined)
  get.startChild('cacher.Get', undefined).end(500)
  clock += 499
  get.end(500)
  expect(log.texts).toEqual([])
})

test('logs a slow step of a fast trace as a trace of its own', () => {
  const log = createLog()
  const list = new LoggedTrace(log, 'List', undefined)
  const hook = list.startChild('Call conversion webhook', { 'object-count': 1 })
  clock += 60
  hook.end(58)
  list.end(500)
  expect(log.texts).toEqual([
    'Trace[1073741824]: "Call conversion webhook" object-count:1 (DATE TIME) (total time: 60ms):\nTrace[1073741824]: [60ms] [60ms] END\n',
  ])
})

test('logs all steps if that is enabled', () => {
  const log = createLog({ isDetailed: () => true })
  const get = new LoggedTrace(log, 'Get', undefined)
  get.addStep('About to Get from storage', undefined)
  clock += 500
  get.end(500)
  expect(log.texts[0]).toContain('---"About to Get from storage" 0ms (TIME)')
})

test('logs nothing if the log was switched off in the meantime', () => {
  let isEnabled = true
  const log = createLog({ isEnabled: () => isEnabled })
  const get = new LoggedTrace(log, 'Get', undefined)
  isEnabled = false
  clock += 1000
  get.end(500)
  expect(log.texts).toEqual([])
})

test('keeps one line for each step, whatever clients send', () => {
  const log = createLog()
  const get = new LoggedTrace(log, 'Get', { 'user-agent': 'x\nTrace[1]: forged' })
  clock += 1000
  get.end(500)
  expect(log.texts[0]!.split('\n')).toHaveLength(3)
})

test('limits the steps of a trace', () => {
  const log = createLog({ isDetailed: () => true })
  const list = new LoggedTrace(log, 'List', undefined)
  for (let i = 0; i < 5000; i++) list.startChild('step', undefined).end(500)
  clock += 1000
  list.end(500)
  expect(log.texts[0]!.split('\n').length).toBeLessThan(1010)
})
