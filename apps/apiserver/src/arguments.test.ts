import { expect, test } from 'vitest'
import { parseArguments } from './arguments.ts'
import { flags } from './flags.ts'
import { findClosestMatch } from '@keelson/apimachinery'

function parse(...argv: string[]): Readonly<Record<string, unknown>> {
  const { values, problems } = parseArguments(argv, flags)
  expect(problems).toEqual([])
  return values
}

const listProblems = (...argv: string[]): readonly string[] => parseArguments(argv, flags).problems

test("the defaults are kube-apiserver's", () => {
  expect(parse()).toMatchObject({
    'secure-port': 6443,
    'max-requests-inflight': 400,
    'max-mutating-requests-inflight': 200,
    'request-timeout': 60_000,
    'min-request-timeout': 1800,
    'event-ttl': 3_600_000,
  })
})

test('parses "--flag=value" and "--flag value", and switches with and without a value', () => {
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
  ['--=1', 'unexpected argument'],
])('rejects %s', (argument, message) => {
  expect(listProblems(argument)).toEqual([expect.stringContaining(message)])
})

test('reports every invalid argument once', () => {
  expect(
    listProblems(
      '--secure-prot=1',
      '--log-level',
      'debug',
      '--authorization-mode=Node,RBAK',
      '--secure-port=http',
      '--watch-cache',
      'false',
      'serve',
      '--version=v1',
    ),
  ).toEqual([
    'unknown flag --secure-prot; did you mean --secure-port?',
    'unknown flag --log-level; did you mean -v?',
    '--authorization-mode: "Node,RBAK" is not a list of Node, RBAC, Webhook, ABAC, AlwaysAllow, AlwaysDeny',
    '--secure-port: "http" is not a whole number from 0 to 65535',
    'unexpected argument "false": a switch takes its value behind a "=": --watch-cache=false',
    expect.stringMatching(/^unexpected argument "serve": /),
    '--version: "v1" is not one of true, false, raw',
  ])
})

test.each([
  [[], undefined],
  [['help'], 'help'],
  [['--secure-port=1', '-h'], 'help'],
  [['version'], 'version'],
  [['--version'], 'version'],
  [['--version=true', '-v=2'], 'version'],
  [['--version=raw'], 'raw version'],
  [['--version=false'], undefined],
])('parses %j as the command %s', (argv, command) => {
  expect(parseArguments(argv, flags)).toMatchObject({ command, problems: [] })
})

test.each([
  ['--in-memory', '--storage-backend=memory'],
  ['--port=1', '--secure-port'],
  ['-V', '--version'],
  ['--verbose', '-v=4'],
])('for %s, suggests %s', (argument, flag) => {
  expect(listProblems(argument)).toEqual([expect.stringContaining(`did you mean ${flag}?`)])
})

test('suggests only close matches', () => {
  expect(findClosestMatch('cert-dri', ['cert-dir', 'data-dir'])).toBe('cert-dir')
  expect(findClosestMatch('xyz', ['cert-dir', 'data-dir'])).toBeUndefined()
})

test.each([
  ['--coordinated-leadership-retry-period=x', 'not supported'],
  ['--allow-privileged=false', 'not supported: privileged pods are always allowed'],
  ['--audits', 'unknown flag'],
])('rejects the kube-apiserver flag %s with the reason', (flag, message) => {
  expect(listProblems(flag)).toEqual([expect.stringContaining(message)])
})

test('accepts unsupported flags if their value is the default behaviour', () => {
  const values = parse('--allow-privileged', '--etcd-healthcheck-timeout', '2s', '--service-account-lookup=true', '--secure-port=1')
  expect(values['secure-port']).toBe(1)
  expect(values).not.toHaveProperty('allow-privileged')
})

test('the command completion requires the name of a shell', () => {
  expect(parseArguments(['completion', 'fish'], flags)).toMatchObject({ command: 'completion', shell: 'fish', problems: [] })
  expect(listProblems('completion')).toEqual(['completion: the shell is missing; allowed are bash, zsh, fish, powershell'])
  expect(listProblems('completion', 'tcsh')).toEqual(['completion: "tcsh" is not a shell; allowed are bash, zsh, fish, powershell'])
})
