import { expect, test } from 'vitest'
import { createLog, createTextWriter } from './create-log.ts'
import type { LogOptions } from './create-log.ts'
import { LogVerbosity } from './log-verbosity.ts'

function createLogger({ format, verbosity }: Pick<LogOptions, 'format'> & { readonly verbosity: number }): {
  log: ReturnType<typeof createLog>
  lines: string[]
} {
  const lines: string[] = []
  const time = new Date(2026, 10, 9, 3, 4, 5, 67).getTime() + 0.089
  return {
    log: createLog({ format, verbosity: new LogVerbosity(verbosity), write: (line) => lines.push(line), now: () => time, pid: 4711 }),
    lines,
  }
}

test("writes text lines in klog's format", () => {
  const { log, lines } = createLogger({ format: 'text', verbosity: 3 })
  log(3, 'HTTP', { verb: 'GET', URI: '/a?b="c"\n', resp: 200, latency: '4.355ms', user: undefined })
  log(0, 'Stopping')
  log(0, 'Informer failed', { err: new Error('connection "lost"'), resource: 'pods' })
  log(4, 'too talkative')
  expect(lines).toEqual([
    'I1109 03:04:05.067089    4711 ???:1] "HTTP" verb="GET" URI=<\n\t/a?b="c"\n > resp=200 latency="4.355ms"\n',
    'I1109 03:04:05.067089    4711 ???:1] "Stopping"\n',
    'E1109 03:04:05.067089    4711 ???:1] "Informer failed" err="connection \\"lost\\"" resource="pods"\n',
  ])
})

test("writes JSON lines in kube-apiserver's format", () => {
  const { log, lines } = createLogger({ format: 'json', verbosity: 3 })
  log(3, 'HTTP', { verb: 'GET', resp: 200 })
  log(0, 'Informer failed', { err: new Error('lost') })
  const ts = new Date(2026, 10, 9, 3, 4, 5, 67).getTime() + 0.089
  expect(lines).toEqual([
    `{"ts":${ts},"caller":"???:1","msg":"HTTP","v":3,"verb":"GET","resp":200}\n`,
    `{"ts":${ts},"caller":"???:1","msg":"Informer failed","err":"lost"}\n`,
  ])
})

test('removes control characters from log lines', () => {
  const { log, lines } = createLogger({ format: 'text', verbosity: 0 })
  log(0, 'a\u001b[31m\nb', { user: '\u001b]0;x\u0007\u007f', err: 'a\n\tb\u001b[31m\n' })
  expect(lines[0]).toContain('"a\\x1b[31m\\nb" user="\\x1b]0;x\\a\\x7f" err=<\n\ta\n\t\tb\ufffd[31m\n >\n')
})

test('writes texts of several lines unquoted', () => {
  const time = new Date(2026, 10, 9, 3, 4, 5, 67).getTime()
  const lines: string[] = []
  const options = { write: (line: string) => void lines.push(line), now: () => time, pid: 4711 }
  createTextWriter({ ...options, format: 'text' })('Trace[1]: "Get" (total time: 600ms):\nTrace[1]: END\n')
  createTextWriter({ ...options, format: 'json' })('Trace[1]: "Get"\n')
  expect(lines).toEqual([
    'I1109 03:04:05.067000    4711 ???:1] Trace[1]: "Get" (total time: 600ms):\nTrace[1]: END\n',
    `{"ts":${time},"caller":"???:1","msg":"Trace[1]: \\"Get\\"\\n","v":0}\n`,
  ])
})
