import {
  canConnect,
  canCreate,
  canCreateNamed,
  canDelete,
  canDeleteCollection,
  canGet,
  canList,
  canPatch,
  canStream,
  canUpdate,
  canWatch,
} from '@keelson/registry'
import type { RESTStorage } from '@keelson/registry'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildGenericConfig } from './build-generic-config.ts'
import { newLegacyRESTStorage } from './new-legacy-rest-storage.ts'

const table = new URL('../../resources-core/legacy-map.md', import.meta.url)

function verbsOf(storage: RESTStorage): string {
  const connects = (method: string): boolean => canConnect(storage) && storage.connectMethods.includes(method)
  const verbs = {
    create: canCreate(storage) || canCreateNamed(storage) || connects('POST'),
    delete: canDelete(storage) || connects('DELETE'),
    deletecollection: canDeleteCollection(storage),
    get: canGet(storage) || canStream(storage) || connects('GET'),
    list: canList(storage),
    patch: canPatch(storage) || connects('PATCH'),
    update: canUpdate(storage) || connects('PUT'),
    watch: canWatch(storage),
  }
  const missing = Object.entries(verbs).flatMap(([verb, has]) => (has ? [] : [verb]))
  if (missing.length === 0) return 'all'
  if (missing.length === 1) return `all but ${missing[0]}`
  return Object.entries(verbs)
    .flatMap(([verb, has]) => (has ? [verb] : []))
    .join(', ')
}

test('the documented map is the one that is served', async () => {
  const config = await buildGenericConfig({ storage: { type: 'memory' } })
  const storage = newLegacyRESTStorage(config)
  const served = Array.from(storage, ([path, rest]) => `${path}: ${verbsOf(rest)}`)
  const rows = readFileSync(table, 'utf8').matchAll(/^\| `([a-z/]+)` *\|([^|]+)\|/gm)
  const documented = Array.from(rows, ([, path, verbs]) => `${path}: ${verbs!.trim()}`)
  expect(documented.sort()).toEqual(served.sort())
  await Promise.all(config.storages.map((one) => one.close()))
  await config.backends[Symbol.asyncDispose]()
})
