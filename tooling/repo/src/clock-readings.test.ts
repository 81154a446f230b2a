import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findClockReadings } from './clock-readings.ts'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

/** Files that are allowed to read the system clock, each with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'packages/apimachinery/src/clock.ts': 'the clock itself',
  'packages/auth/src/external-signer/signer-client.ts': 'the deadline of a call to another process',
  'packages/backend-etcd3/src/servers.ts': 'the deadline of a call to another process',
  'packages/backend-etcd3/src/unary-call.ts': 'the deadline of a call to another process',
  'packages/encryption/src/kms/kms-client.ts': 'the deadline of a call to another process',
  'packages/http-installer/src/openapi/serve-openapi.ts': 'a caching header; clients use the system clock',
  'packages/server/src/filters/authentication.ts': 'the remaining validity of a certificate; clients use the system clock',
  'packages/server/src/pprof/install-profiling.ts': 'the time of a profile of this process',
  'packages/server/src/zpages.ts': 'the start time of this process',
}

function listSources(): string[] {
  const packages = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/src`)
  return packages.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => file.endsWith('.ts') && !/\.(test|test-d|fixture|bench)\.ts$|\/testing\/|\/generated\//.test(file)),
  )
}

test('packages read the time only from an injected clock', () => {
  const readings = new Map(listSources().map((file) => [file, findClockReadings(readFileSync(path.join(root, file), 'utf8'))]))
  const unexpected = [...readings].filter(([file, places]) => places.length > 0 && allowed[file] === undefined)
  expect(unexpected.flatMap(([file, places]) => places.map(({ line, text }) => `${file}:${line}: ${text}; take it from a Clock`))).toEqual(
    [],
  )
  const needless = Object.keys(allowed).filter((file) => (readings.get(file) ?? []).length === 0)
  expect(needless, 'entries of the list that are not needed').toEqual([])
})

test.each([
  ['const t = Date.now()', ['1: Date.now']],
  ['a\nconst make = (now = Date.now) => now()', ['2: Date.now']],
  ['const d = new Date()', ['1: new Date']],
  ['const d = new Date( )\nconst e = new Date', ['1: new Date', '2: new Date']],
  ['const d = new Date(seconds * 1000)', []],
  ['// Date.now() is forbidden\n/* new Date() */\nclock.now()', []],
  ['type T = typeof Date', []],
])('finds a planted violation: %j', (source, places) => {
  expect(findClockReadings(source).map(({ line, text }) => `${line}: ${text}`)).toEqual(places)
})
