import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GroupVersionFacts } from './fact-types.ts'
import type { ProtoReference, SchemaReference } from './make-facts.ts'
import { formatFacts, makeFacts } from './make-facts.ts'

export function readFacts(folder: string): Map<string, GroupVersionFacts> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  return new Map(
    names
      .toSorted()
      .map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(join(folder, name), 'utf8')) as GroupVersionFacts]),
  )
}

/** Derives the contents of the fact files from the reference. Keys are paths below the facts folder. */
export function deriveFacts(reference: string): Map<string, string> {
  const proto = JSON.parse(readFileSync(join(reference, 'proto.json'), 'utf8')) as ProtoReference
  const schema = JSON.parse(readFileSync(join(reference, 'schema.json'), 'utf8')) as SchemaReference
  return new Map([...makeFacts(proto, schema)].map(([folder, facts]) => [`${folder}.json`, formatFacts(facts)]))
}

/** Writes files to a folder. Deletes all other files in the folder. */
export function writeTree(folder: string, files: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true })
  for (const [name, text] of files) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}
