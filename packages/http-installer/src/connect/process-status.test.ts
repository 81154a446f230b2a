import { expect, test } from 'vitest'
import { parseProcessStatus } from './process-status.ts'

const parseV4Status = (text: string) => parseProcessStatus('v4.channel.k8s.io', text)

test('reports how a process ended', () => {
  expect(parseV4Status('')).toEqual({ metadata: {}, status: 'Success' })
  expect(parseV4Status('{"metadata":{},"status":"Success"}')).toEqual({ metadata: {}, status: 'Success' })
  const exit = { status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message: '3' }] } }
  expect(parseV4Status(JSON.stringify(exit))).toEqual({
    metadata: {},
    message: 'command terminated with non-zero exit code: command terminated with exit code 3',
    ...exit,
  })
})

test('reports text other than a Status as an error', () => {
  expect(parseV4Status('{"status":"Failure","message":"no such container"}')).toMatchObject({
    reason: 'InternalError',
    message: 'Internal error occurred: no such container',
  })
  expect(parseV4Status('nonsense').message).toContain('error stream protocol error')
  expect(
    parseV4Status('{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"300"}]}}').message,
  ).toContain('invalid exit code value "300"')
  expect(parseV4Status('{}').message).toContain('unknown error')
  expect(parseProcessStatus('v2.channel.k8s.io', 'plain words').message).toBe(
    'Internal error occurred: error executing remote command: plain words',
  )
})
