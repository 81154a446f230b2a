import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { StructSchema } from '@keelson/apimachinery'

/** Descriptions of a type. */
interface TypeDescription {
  readonly text?: string
  /** Descriptions of the fields by JSON name. */
  readonly fields: ReadonlyMap<string, string>
}

/** Descriptions of the types of the built-in groups. `tooling/codegen/descriptions/` has their texts. */
export interface Descriptions {
  /** Identifies the texts. It differs if a text differs. */
  readonly hash: string
  /** Returns the descriptions of a type by its OpenAPI definition, such as "io.k8s.api.core.v1.Pod". Undefined if it has none. */
  find(definition: string): TypeDescription | undefined
}

/** File with a line for each type. The relative path is the same from `src` and from `dist`. The build of the program replaces it. */
const file = new URL('../../src/generated/descriptions.ndjson', import.meta.url)

/** Time for which loaded texts are kept, because clients usually request several documents one after the other. */
const keptMilliseconds = 10_000
let loaded: Promise<Descriptions> | undefined

/** Loads the descriptions. They are kept for a few seconds only. */
export function loadDescriptions(): Promise<Descriptions> {
  if (loaded === undefined) {
    loaded = readFile(file, 'latin1').catch(ignoreMissing).then(parseDescriptions)
    const drop = (): void => void (loaded = undefined)
    loaded.then(() => setTimeout(drop, keptMilliseconds).unref(), drop)
  }
  return loaded
}

/** Replaces a missing file by an empty one. A bundle that other tools made of a server may lack the file. */
function ignoreMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return ''
  throw error
}

/** Parses a file of descriptions. The line of a type is parsed when the type is first requested. */
function parseDescriptions(text: string): Descriptions {
  const lines = new Map<string, string>()
  const parsed = new Map<string, TypeDescription>()
  for (const line of text.split('\n')) if (line !== '') lines.set(line.slice(2, line.indexOf('"', 2)), line)
  return {
    hash: createHash('sha256').update(text, 'latin1').digest('hex'),
    find(definition) {
      const line = lines.get(definition) ?? lines.get(definition.replace(/\.v\d\w*(?=\.\w+$)/, ''))
      if (line === undefined) return undefined
      let description = parsed.get(line)
      if (description === undefined) parsed.set(line, (description = parseLine(line)))
      return description
    },
  }
}

function parseLine(line: string): TypeDescription {
  const [, text, fields] = JSON.parse(line) as [string, string, Record<string, string>]
  return { ...(text !== '' && { text }), fields: new Map(Object.entries(fields)) }
}

const metaTypes = 'io.k8s.apimachinery.pkg.apis.meta'

/** Returns the descriptions of a type. A kind has those that all objects or all lists share, unless it has others. */
export function describeStruct(schema: StructSchema, descriptions: Descriptions): TypeDescription {
  const described = descriptions.find(schema.definition) ?? { fields: new Map<string, string>() }
  if (schema.gvk === undefined) return described
  const list = schema.byName.has('items') ? descriptions.find(`${metaTypes}.List`) : undefined
  const object = descriptions.find(`${metaTypes}.Object`)
  return { ...list, ...described, fields: new Map([...(object?.fields ?? []), ...(list?.fields ?? []), ...described.fields]) }
}
