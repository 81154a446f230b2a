import { readFileSync } from 'node:fs'
import path from 'node:path'
import { apiGroups } from '@keelson/resources'
import { coreGroups } from '@keelson/resources-core'
import { expect, it } from 'vitest'

it('has the type of every built-in resource', () => {
  const source = readFileSync(path.join(import.meta.dirname, 'resource-types.ts'), 'utf8')
  const declared = new Map([...source.matchAll(/^ {2}'?([a-z0-9.*/-]+)'?: (\w+)$/gm)].map(([, name, type]) => [name, type]))
  const resources = [...coreGroups, ...apiGroups].flatMap((group) => group.resources)
  for (const { group, plural, kind, subresources } of resources) {
    const name = group === '' ? plural : `${plural}.${group}`
    expect([name, declared.get(name)]).toEqual([name, kind])
    if (subresources?.['status'] !== undefined) expect([name, declared.get(`${name}/status`)]).toEqual([name, kind])
  }
})
