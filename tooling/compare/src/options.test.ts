import { expect, it } from 'vitest'
import { parseOptions } from './options.ts'

const server = 'https://127.0.0.1:6443'

it('parses flags and applies defaults', () => {
  expect(parseOptions(['--server', server, '--token', 't', '--seed', '7', '--only', 'create/Pod,change'])).toEqual({
    server,
    token: 't',
    seed: 7,
    steps: 2000,
    only: ['create/Pod', 'change'],
    show: 20,
    save: undefined,
    smaller: true,
    withNodes: false,
    decisions: 0,
    roleWrites: 0,
    policies: 0,
    webhooks: 0,
    flows: 0,
    audit: 0,
    bin: '',
    definitions: 0,
    objects: 10,
    project: '',
    candidate: undefined,
  })
  expect(parseOptions(['--help'])).toBe('help')
})

it.each([
  [[], '--server must be the URL'],
  [['--server', 'x y'], '--server must be the URL'],
  [['--server', server, '--steps', 'x'], '--steps must be an integer of at least 0, not "x"'],
  [['--server', server, '--seed', ''], '--seed must be an integer'],
  [['--bogus'], 'bogus'],
])('rejects %j with the message: %s', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message)
})
