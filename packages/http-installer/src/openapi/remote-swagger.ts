import { createHash } from 'node:crypto'
import { TimeSlice } from '@keelson/apimachinery'
import { checkDefinition, checkParameter, checkPathItem } from './check-swagger.ts'

/** A path or definition in the OpenAPI v2 document of another server, with its JSON text and the definitions that it refers to. */
export interface RemotePart {
  readonly text: string
  readonly references: ReadonlySet<string>
}

/** The part of another server's OpenAPI v2 document that belongs to one group version. */
export interface RemoteSwagger {
  /** Changes with the content. */
  readonly hash: string
  /** Size in characters. */
  readonly size: number
  readonly paths: ReadonlyMap<string, RemotePart>
  readonly definitions: ReadonlyMap<string, RemotePart>
}

interface Member {
  readonly section: string
  readonly name: string
  readonly text: string
}

/** Maximum size of a path or definition. Larger ones would take long to parse. */
const maxPartBytes = 256 * 1024
const maxDepth = 128
const bytesPerPause = 32 * 1024
const definitionPrefix = '#/definitions/'
const parameterPrefix = '#/parameters/'

/**
 * Reads the OpenAPI v2 document of another server. Keeps the paths below a prefix and the definitions that they need. Throws if the document is
 * not one, or has members of wrong types.
 */
export async function readRemoteSwagger(document: Buffer, pathPrefix: string): Promise<RemoteSwagger> {
  const slice = new TimeSlice()
  const texts = { paths: new Map<string, string>(), definitions: new Map<string, string>(), parameters: new Map<string, string>() }
  for (const member of listMembers(document)) {
    if (member !== '' && Object.hasOwn(texts, member.section)) texts[member.section as keyof typeof texts].set(member.name, member.text)
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  const paths = new Map<string, RemotePart>()
  const definitions = new Map<string, RemotePart>()
  for (const [name, text] of texts.definitions) {
    definitions.set(name, createPart(checkDefinition(JSON.parse(text))))
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  const roots = new Set<string>()
  const otherRoots = new Set<string>()
  for (const [name, text] of texts.paths) {
    const part = createPart(checkPathItem(replaceParameters(JSON.parse(text), texts.parameters)))
    const isKept = name.startsWith(pathPrefix)
    if (isKept) paths.set(name, part)
    for (const reference of part.references) (isKept ? roots : otherRoots).add(reference)
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  const used = collectReferences(roots, definitions)
  const usedElsewhere = collectReferences(otherRoots, definitions)
  for (const name of definitions.keys()) if (!used.has(name) && usedElsewhere.has(name)) definitions.delete(name)
  const hash = createHash('sha256')
  let size = 0
  for (const parts of [paths, definitions]) {
    for (const [name, { text }] of parts) {
      hash.update(name).update(text)
      size += name.length + text.length
    }
  }
  return { hash: hash.digest('hex'), size, paths, definitions }
}

/** Returns the names of all definitions that are referred to, directly or by other definitions. */
function collectReferences(roots: Iterable<string>, definitions: ReadonlyMap<string, RemotePart>): ReadonlySet<string> {
  const found = new Set(roots)
  // A set also visits the values that are added meanwhile.
  for (const name of found) for (const reference of definitions.get(name)?.references ?? []) found.add(reference)
  return found
}

function createPart(value: unknown): RemotePart {
  const references = new Set<string>()
  const text = JSON.stringify(value, (key, member: unknown) => {
    if (key === '$ref' && typeof member === 'string' && member.startsWith(definitionPrefix))
      references.add(member.slice(definitionPrefix.length))
    return member
  })
  return { text, references }
}

/** Replaces references to parameters, so that the parameters of several servers need no names. */
function replaceParameters(item: unknown, parameters: ReadonlyMap<string, string>): unknown {
  const replaceAll = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.map((parameter: { readonly $ref?: unknown } | null) => {
          const { $ref } = parameter ?? {}
          if (typeof $ref !== 'string') return parameter
          const text = $ref.startsWith(parameterPrefix) ? parameters.get($ref.slice(parameterPrefix.length)) : undefined
          if (text === undefined) throw new Error(`unknown parameter ${JSON.stringify($ref.slice(0, 200))}`)
          return checkParameter(JSON.parse(text))
        })
      : list
  if (typeof item !== 'object' || item === null) return item
  return Object.fromEntries(
    Object.entries(item).map(([name, member]: [string, unknown]) => {
      if (name === 'parameters') return [name, replaceAll(member)]
      if (typeof member !== 'object' || member === null || !Object.hasOwn(member, 'parameters')) return [name, member]
      return [name, { ...member, parameters: replaceAll((member as { readonly parameters: unknown }).parameters) }]
    }),
  )
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma, colon] = Buffer.from('"\\{}[],:')

/** Returns the members of the members of a JSON object, without parsing their values. Yields "" where other work may run. */
function* listMembers(bytes: Buffer): Generator<Member | ''> {
  let depth = 0
  let section = ''
  let name = ''
  let valueStart = -1
  for (let i = 0, pauseAt = bytesPerPause; i < bytes.length; i++) {
    if (i >= pauseAt) {
      yield ''
      pauseAt = i + bytesPerPause
    }
    const byte = bytes[i]
    if (byte === quote) {
      const end = findStringEnd(bytes, i)
      // A string before the colon is a name.
      if (depth <= 2 && valueStart < 0) {
        const text = JSON.parse(bytes.toString('utf8', i, end + 1)) as string
        if (depth === 1) section = text
        else name = text
      }
      i = end
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth) throw new Error(`the document is nested more than ${maxDepth} times`)
      if (depth <= 2) valueStart = -1
    } else if (byte === colon) {
      if (depth <= 2) valueStart = i + 1
    } else if (byte === comma || byte === closeBrace || byte === closeBracket) {
      if (depth === 2 && valueStart >= 0) {
        if (i - valueStart > maxPartBytes) throw new Error(`${JSON.stringify(name.slice(0, 200))} is larger than ${maxPartBytes} bytes`)
        yield { section, name, text: bytes.toString('utf8', valueStart, i) }
      }
      if (depth <= 2) valueStart = -1
      if (byte !== comma) depth--
    }
  }
  if (depth !== 0 || section === '') throw new Error('the document is no JSON object')
}

function findStringEnd(bytes: Buffer, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (i - start > maxPartBytes) throw new Error(`the document has a string larger than ${maxPartBytes} bytes`)
    if (bytes[i] === backslash) i++
    else if (bytes[i] === quote) return i
  }
  throw new Error('the document is not complete')
}
