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
import { expect, test } from 'vitest'
import { openCoreStorage } from './core-storage.fixture.ts'
import { pathFacts } from './legacy-map.fixture.ts'

function listVerbs(storage: RESTStorage): string {
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
  const missingVerbs = Object.entries(verbs).flatMap(([verb, has]) => (has ? [] : [verb]))
  if (missingVerbs.length === 0) return 'all'
  if (missingVerbs.length === 1) return `all but ${missingVerbs[0]}`
  return Object.entries(verbs)
    .flatMap(([verb, has]) => (has ? [verb] : []))
    .join(', ')
}

/** Renders the documentation page that lists the facts about each path in a table. */
function mapPage(served: Iterable<readonly [path: string, storage: RESTStorage]>): string {
  const byPath = [...served].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = byPath.map(([path, storage]) => {
    const [file, command] = pathFacts[path] ?? ['', '']
    return [`\`${path}\``, listVerbs(storage), `\`${file}\``, `\`${command}\``]
  })
  const head = ['path', 'verbs', 'where', 'shown by']
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)))
  const formatRow = (cells: readonly string[]): string => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`
  return `${introduction}\n${formatRow(head)}${formatRow(widths.map((width) => '-'.repeat(width)))}${rows.map(formatRow).join('')}`
}

const introduction = `# The legacy map

Every path under \`/api/v1\`, its verbs, the file that implements it, and a command that shows it on a running server.
\`npm test -- packages/control-plane/src/legacy-map.test.ts -u\` writes this page from the map that \`newLegacyRESTStorage\` in \`@keelson/control-plane\` makes.
`

test('the documentation page of core/v1 lists the served paths', async () => {
  await using core = await openCoreStorage()
  const { storage } = core
  expect(Object.keys(pathFacts).sort()).toEqual([...storage.keys()].sort())
  await expect(mapPage(storage)).toMatchFileSnapshot('../../resources-core/legacy-map.md')
})
