import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

/** The steps of a write that belong to `packages/registry/src/write` alone. */
const steps: Readonly<Record<string, RegExp>> = {
  'mutating or validating admission': /\b(?:admission|chain)(?:\(\))?\.(?:admit|validate)\(/,
  'attributes of a write': /\bnew WriteAttributes\(/,
  'owners of fields': /\bfieldManager!?\.(?:update|apply|applyInSteps)\(/,
  'a read, a change and a commit': /\.guaranteedUpdate\(/,
}

const exceptions: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^packages\/(?:storagebackend|cacher|encryption|backend-\w+)\//, 'Storages pass the update on to the storage below.'],
  [
    /^packages\/registry\/src\/patch\/apply-configuration\.ts: owners/,
    'A step of the write module: an apply computes owners and object together.',
  ],
  [/^packages\/loopback\/src\/create-loopback-client\.ts: mutating/, 'A chain that passes everything on to the chain of the moment.'],
  [/^packages\/control-plane\/src\/bootstrap\/server-leases\.ts: a read/, 'Not an object of the API: addresses of servers.'],
  [/\/allocation\/range-registry\.ts: a read/, 'Not an object of the API: a bitmap.'],
]

function sources(): string[] {
  return readdirSync(path.join(root, 'packages')).flatMap((name) =>
    readdirSync(path.join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.(?:test|test-d|fixture)\.ts$|(?:^|\/)(?:testing|generated)\//.test(file))
      .map((file) => `packages/${name}/src/${file}`),
  )
}

function strays(file: string, source: string): string[] {
  if (file.startsWith('packages/registry/src/write/')) return []
  return Object.entries(steps)
    .filter(([, pattern]) => pattern.test(source))
    .map(([step]) => `${file}: ${step}`)
    .filter((found) => !exceptions.some(([pattern]) => pattern.test(found)))
}

it('one module holds the steps of a write', () => {
  expect(sources().flatMap((file) => strays(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([])
})

it.each([
  ['await scope.admission.admit(attributes)', 'mutating or validating admission'],
  ['return chain.validate(attributes)', 'mutating or validating admission'],
  ['const attributes = new WriteAttributes(write, operation, objects)', 'attributes of a write'],
  ['route.fieldManager.update(live, next, manager)', 'owners of fields'],
  ['await storage.guaranteedUpdate(key, change)', 'a read, a change and a commit'],
])('a second place is found: %s', (source, step) => {
  expect(strays('packages/http-installer/src/handle-patch.ts', source)).toEqual([`packages/http-installer/src/handle-patch.ts: ${step}`])
})

it('the module lists the steps in order, in less than 400 lines', () => {
  const source = readFileSync(path.join(root, 'packages/registry/src/write/write.ts'), 'utf8')
  const calls = ['applyChange(run', 'trackAndMutate(routed', 'prepareChanged(run, object, stored)']
  const round = source.slice(source.indexOf('async function round<'))
  const at = calls.map((call) => round.indexOf(call))
  expect(at).toEqual(at.toSorted((a, b) => a - b))
  expect(at.every((index) => index >= 0)).toBe(true)
  expect(source.split('\n').length).toBeLessThan(400)
})
