import { describe, expect, it } from 'vitest'
import { readFacts } from './facts-files.ts'
import { generate } from './generate.ts'
import { factsFolder } from './paths.ts'

const files = generate(readFacts(factsFolder), new Map())
const modules = [...files.keys()].filter((name) => name.endsWith('.ts'))
const folders = [...new Set(modules.map((name) => name.split('/').slice(0, 2).join('/')))]

/** Lists the group versions that an import of `folder` loads. Ignores type imports, because they are erased. */
function listLoadedFiles(folder: string): string[] {
  const visited = new Set<string>()
  const pending = [`${folder}/index.ts`]
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (visited.has(file)) continue
    visited.add(file)
    for (const [, target] of files.get(file)!.matchAll(/^import (?!type )[^']*'([^']+)'/gm)) {
      const path = new URL(target!, `file:///${file}`).pathname.slice(1)
      if (files.has(path)) pending.push(path)
    }
  }
  return [...new Set([...visited].map((file) => file.split('/').slice(0, 2).join('/')))].toSorted()
}

describe('the import of a group version', () => {
  it('loads only group versions whose types it contains', () => {
    expect(listLoadedFiles('meta/v1')).toEqual(['meta/v1'])
    expect(listLoadedFiles('core/v1')).toEqual(['core/v1', 'meta/v1'])
    expect(listLoadedFiles('apps/v1')).toEqual(['apps/v1', 'core/v1', 'meta/v1'])
    expect(listLoadedFiles('rbac/v1')).toEqual(['meta/v1', 'rbac/v1'])
    expect(listLoadedFiles('batch/v1beta1')).toEqual(['batch/v1', 'batch/v1beta1', 'core/v1', 'meta/v1'])
  })

  it.each(folders)('%s loads no types file', (folder) => {
    const imports = [...files].filter(([name]) => name.startsWith(`${folder}/`)).map(([, text]) => text)
    expect(imports.join('')).not.toMatch(/^import (?!type ).*\/types\.ts'/m)
  })
})
