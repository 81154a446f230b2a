import { equalsJson } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { formatJson } from './json-pieces.ts'
import type { RemoteSwagger } from './remote-swagger.ts'

type Definition = Readonly<Record<string, unknown>>
/** Generates an installed definition by name. Returns undefined if there is none. Yields where other work may run. */
export type FindInstalled = (name: string) => Generator<'', Definition | undefined>

export interface MergedSwagger {
  readonly paths: ReadonlyMap<string, Definition>
  /** Definitions of other servers by their names in the merged document. */
  readonly definitions: ReadonlyMap<string, Definition>
  /** Group versions and kinds that other servers add to installed definitions, by name. */
  readonly addedKinds: ReadonlyMap<string, readonly unknown[]>
}

const kindsMember = 'x-kubernetes-group-version-kind'
const referencePrefix = '#/definitions/'

/**
 * Merges the documents of other servers, the most important one first. Paths that exist keep their first item. A definition that differs from
 * the one with its name gets the suffix `_v2`, `_v3` and so on, as in kube-apiserver. A difference in kinds or descriptions is no conflict.
 */
export function* mergeSwagger(
  remotes: readonly RemoteSwagger[],
  installedPaths: ReadonlySet<string>,
  findInstalled: FindInstalled,
): Generator<'', MergedSwagger> {
  const paths = new Map<string, Definition>()
  const definitions = new Map<string, Definition>()
  const addedKinds = new Map<string, unknown[]>()
  const find = function* (name: string): Generator<'', Definition | undefined> {
    return definitions.get(name) ?? (yield* findInstalled(name))
  }
  for (const remote of remotes) {
    const ownPaths = [...remote.paths].filter(([path]) => !installedPaths.has(path) && !paths.has(path))
    if (ownPaths.length === 0) continue
    const names = new Map<string, string>()
    for (const [name, { text }] of remote.definitions) {
      yield ''
      const definition = JSON.parse(text) as Definition
      const mergedName = yield* chooseName(name, definition, find, (candidate) => remote.definitions.has(candidate))
      names.set(name, mergedName)
      const existing = yield* find(mergedName)
      if (existing === undefined) continue
      const added = listMissingKinds(definition, existing, addedKinds.get(mergedName))
      if (added.length > 0) addedKinds.set(mergedName, [...(addedKinds.get(mergedName) ?? []), ...added])
    }
    for (const [name, { text }] of remote.definitions) {
      yield ''
      const mergedName = names.get(name)!
      if ((yield* find(mergedName)) === undefined) definitions.set(mergedName, parseRenamed(text, names))
    }
    for (const [path, { text }] of ownPaths) {
      yield ''
      paths.set(path, parseRenamed(text, names))
    }
  }
  return { paths, definitions, addedKinds }
}

function* chooseName(name: string, definition: Definition, find: FindInstalled, isTaken: (name: string) => boolean): Generator<'', string> {
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? name : `${name}_v${i}`
    const existing = yield* find(candidate)
    if (existing === undefined ? i === 1 || !isTaken(candidate) : isSameDefinition(existing, definition)) return candidate
  }
}

/** Compares what definitions accept. Servers describe shared kinds in different words, so descriptions make no difference. */
function isSameDefinition(a: Definition, b: Definition): boolean {
  return equalsJson(toComparable(a), toComparable(b))
}

function toComparable(definition: Definition): JsonValue {
  const { [kindsMember]: _, ...members } = definition
  return JSON.parse(formatJson(members), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  ) as JsonValue
}

function listMissingKinds(definition: Definition, existing: Definition, added: readonly unknown[] = []): readonly unknown[] {
  const [kinds, existingKinds] = [definition[kindsMember], existing[kindsMember]]
  if (!Array.isArray(kinds)) return []
  const known = [...(Array.isArray(existingKinds) ? (existingKinds as unknown[]) : []), ...added] as JsonValue[]
  return (kinds as JsonValue[]).filter((kind) => !known.some((candidate) => equalsJson(candidate, kind)))
}

/** Adds kinds to a definition. */
export function addKinds(definition: Definition, kinds: readonly unknown[] | undefined): Definition {
  if (kinds === undefined) return definition
  const existing = definition[kindsMember]
  return { ...definition, [kindsMember]: [...(Array.isArray(existing) ? (existing as unknown[]) : []), ...kinds] }
}

function parseRenamed(text: string, names: ReadonlyMap<string, string>): Definition {
  return JSON.parse(text, (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(referencePrefix)) return value
    const name = value.slice(referencePrefix.length)
    return referencePrefix + (names.get(name) ?? name)
  }) as Definition
}
