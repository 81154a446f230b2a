import { expect, test } from 'vitest'
import { UsageError, parseArguments } from './arguments.ts'
import { flags } from './flags.ts'
import { nearest } from './nearest.ts'

const parse = (...argv: string[]): Readonly<Record<string, unknown>> => parseArguments(argv, flags).values

test("defaults are the original's", () => {
  expect(parse()).toMatchObject({
    'secure-port': 6443,
    'bind-address': '0.0.0.0',
    'anonymous-auth': true,
    'max-requests-inflight': 400,
    'max-mutating-requests-inflight': 200,
    'request-timeout': 60_000,
    'min-request-timeout': 1800,
    'event-ttl': 3_600_000,
  })
})

test('values in both spellings, switches with and without a value', () => {
  expect(
    parse('--secure-port=1', '--data-dir', 'x', '--disable-http2-serving', '--watch-cache=false', '-v=4', '--anonymous_auth=false'),
  ).toMatchObject({
    'secure-port': 1,
    'data-dir': 'x',
    'disable-http2-serving': true,
    'watch-cache': false,
    'anonymous-auth': false,
    v: 4,
  })
  expect(parse('--controllers=*,-namespace')['controllers']).toEqual(['*', '-namespace'])
  expect(parse('--watch-cache-sizes=pods#0,deployments.apps#100')['watch-cache-sizes']).toEqual({ pods: 0, 'deployments.apps': 100 })
  expect(parse('--event-ttl=1h30m')['event-ttl']).toBe(5_400_000)
})

test.each([
  ['--secure-port=70000', 'from 0 to 65535'],
  ['--secure-port', 'needs a value'],
  ['--event-ttl=5', 'a duration'],
  ['--watch-cache=maybe', 'true or false'],
  ['--watch-cache-sizes=pods', 'a list like pods#0'],
  ['--watch-cache-sizes=pods#-1', 'a list like pods#0'],
  ['--bind-address=localhost', 'an IP address'],
  ['--bind-address=999.1.1.1', 'an IP address'],
  ['--data-dir=', 'a directory'],
  ['--etcd-prefix=', 'a path like /registry'],
  ['--etcd-prefix=/../x', 'a path like /registry'],
  ['--token-file=x', 'did you mean --token-auth-file?'],
  ['--token=x', 'did you mean --token-auth-file?'],
  ['--zzz', 'unknown flag --zzz (--help'],
  ['-x', 'unexpected argument'],
])('%s is refused', (argument, message) => {
  expect(() => parse(argument)).toThrow(UsageError)
  expect(() => parse(argument)).toThrow(message)
})

test('the nearest name is only offered when it is near', () => {
  expect(nearest('cert-dri', ['cert-dir', 'data-dir'])).toBe('cert-dir')
  expect(nearest('xyz', ['cert-dir', 'data-dir'])).toBeUndefined()
})

test.each([
  ['--audit-log-path=x', 'not here: requests are not audited'],
  ['--authorization-mode=Node,RBAC', 'not here: administrators may do everything'],
  ['--requestheader-client-ca-file=x', 'not here'],
  ['--allow-privileged=false', 'not here: privileged pods are always allowed'],
  ['--audit', 'unknown flag'],
])('of the flags that others have, %s is refused with the reason', (flag, message) => {
  expect(() => parse(flag)).toThrow(message)
})

test('flags that ask for what is done anyway are accepted', () => {
  const values = parse('--allow-privileged', '--etcd-healthcheck-timeout', '2s', '--service-account-lookup=true', '--secure-port=1')
  expect(values['secure-port']).toBe(1)
  expect(values).not.toHaveProperty('allow-privileged')
})
