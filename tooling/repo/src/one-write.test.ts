import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

/** Patterns of code for the steps of a write. Only files in `packages/registry/src/write` are allowed to contain this code. */
const steps: Readonly<Record<string, RegExp>> = {
  'mutating or validating admission': /\b(?:admission|chain)(?:\(\))?\.(?:admit|validate)\(/,
  'attributes of a write': /\bnew WriteAttributes\(/,
  'field ownership': /\bfieldManager!?\.(?:update|apply|applyInSteps)\(/,
  'read, change and commit': /\.guaranteedUpdate\(/,
}

const exceptions: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^packages\/(?:storagebackend|cacher|encryption|backend-\w+)\//, 'Storages pass the update on to the storage below.'],
  [
    /^packages\/registry\/src\/patch\/apply-configuration\.ts: field/,
    'A step of the write module: apply computes the field owners together with the object.',
  ],
  [/^packages\/loopback\/src\/create-loopback-client\.ts: mutating/, 'Delegates to the current chain.'],
  [/^packages\/control-plane\/src\/bootstrap\/server-leases\.ts: read,/, 'Addresses of servers, not API objects.'],
  [
    /^packages\/(?:apiextensions\/src\/conversion\/converted|registry\/src\/lazy)-storage\.ts: read,/,
    'Storages pass the update on to the storage below.',
  ],
  [/\/allocation\/range-registry\.ts: read,/, 'Allocation bitmaps, not API objects.'],
]

function listSources(): string[] {
  return readdirSync(path.join(root, 'packages')).flatMap((name) =>
    readdirSync(path.join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.(?:test|test-d|fixture)\.ts$|(?:^|\/)(?:testing|generated)\//.test(file))
      .map((file) => `packages/${name}/src/${file}`),
  )
}

function findStrays(file: string, source: string): string[] {
  if (file.startsWith('packages/registry/src/write/')) return []
  return Object.entries(steps)
    .filter(([, pattern]) => pattern.test(source))
    .map(([step]) => `${file}: ${step}`)
    .filter((found) => !exceptions.some(([pattern]) => pattern.test(found)))
}

it('only the write module contains the steps of a write', () => {
  expect(listSources().flatMap((file) => findStrays(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([])
})

it.each([
  ['await scope.admission.admit(attributes)', 'mutating or validating admission'],
  ['return chain.validate(attributes)', 'mutating or validating admission'],
  ['const attributes = new WriteAttributes(write, operation, objects)', 'attributes of a write'],
  ['route.fieldManager.update(live, next, manager)', 'field ownership'],
  ['await storage.guaranteedUpdate(key, change)', 'read, change and commit'],
])('finds a planted step: %s', (source, step) => {
  expect(findStrays('packages/http-installer/src/handle-patch.ts', source)).toEqual([
    `packages/http-installer/src/handle-patch.ts: ${step}`,
  ])
})

it('the write module calls the steps in order, in less than 400 lines', () => {
  const source = readFileSync(path.join(root, 'packages/registry/src/write/write.ts'), 'utf8')
  const calls = ['applyChange(run', 'trackAndMutate(routed', 'prepareChanged(run, object, stored)']
  const round = source.slice(source.indexOf('async function attempt<'))
  const at = calls.map((call) => round.indexOf(call))
  expect(at).toEqual(at.toSorted((a, b) => a - b))
  expect(at.every((index) => index >= 0)).toBe(true)
  expect(source.split('\n').length).toBeLessThan(400)
})
