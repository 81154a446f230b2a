import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseArguments } from './arguments.ts'
import type { FlagPreset } from './arguments.ts'
import { readConfigFile } from './config-file.ts'
import { flags } from './flags.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-config-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function read(text: string): Promise<FlagPreset> {
  const file = path.join(directory, 'config.yaml')
  await writeFile(file, text)
  return readConfigFile(file, flags)
}

test('a configuration file sets the flags that the command line does not set', async () => {
  const preset = await read(`
secure-port: 1
watch-cache: false
event-ttl: 2h
controllers: ['*', -namespace]
runtime-config: {apps/v1: false}
tls-sni-cert-key: ['a.crt,a.key:*.a.com,a.com', 'b.crt,b.key']
`)
  const { values } = parseArguments(['--secure-port=2', '--runtime-config=api/beta=true'], flags, preset)
  expect(values).toMatchObject({
    'secure-port': 2,
    'watch-cache': false,
    'event-ttl': 7_200_000,
    controllers: ['*', '-namespace'],
    'runtime-config': [['api/beta', true]],
    'tls-sni-cert-key': [
      { certificateFile: 'a.crt', keyFile: 'a.key', names: ['*.a.com', 'a.com'] },
      { certificateFile: 'b.crt', keyFile: 'b.key', names: [] },
    ],
    'max-requests-inflight': 400,
  })
})

test.each([
  ['secure-prot: 1', 'did you mean --secure-port?'],
  ['secure-port: 70000', 'from 0 to 65535'],
  ['secure-port: [1, 2]', 'is not a list'],
  ['- secure-port', 'is not a map of flags'],
  ['config: other.yaml', 'cannot name another'],
  ['a: b: c', 'cannot read'],
  ['goaway-chance: 0.5', 'a number from 0 to 0.02'],
])('rejects %s', async (text, message) => {
  expect((await read(text)).problems).toEqual([expect.stringContaining(message)])
})

test('reports every mistake in a file, with its path', async () => {
  const { problems } = await read('secure-prot: 1\nsecure-port: http\ncoordinated-leadership-retry-period: x\nevent-ttl: 2h\n')
  expect(problems).toHaveLength(3)
  for (const problem of problems) expect(problem).toContain('config.yaml: ')
})
