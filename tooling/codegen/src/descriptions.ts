import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FieldFacts } from './fact-types.ts'
import { isListKind } from './model.ts'
import type { Model, Module } from './model.ts'

/**
 * Descriptions of a type: the text of the type at the key "", and those of its fields by JSON name. The key "=" names a type, as "Container" or
 * "core.Container", whose texts apply to the fields that have none here.
 */
export type TypeTexts = Readonly<Record<string, string>>
/** Descriptions of an API group by type: "PodSpec", or "v1beta1.PodSpec" for texts that apply to one version only. */
export type GroupTexts = Readonly<Record<string, TypeTexts>>

/** Reads the descriptions of all groups by the name of the group's folder: "core". */
export function readDescriptions(folder: string): Map<string, GroupTexts> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return new Map(
    names.toSorted().map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(join(folder, name), 'utf8')) as GroupTexts]),
  )
}

/** Types that have descriptions and no facts: the fields of every object, parameters of requests, and types whose JSON is one value. */
const typesWithoutFacts: Readonly<Record<string, { readonly definition?: string; readonly fields?: readonly string[] }>> = {
  'meta Object': { fields: ['apiVersion', 'kind', 'metadata'] },
  'meta Parameters': { fields: ['name', 'namespace', 'path', 'pretty'] },
  'meta Time': {},
  'meta MicroTime': {},
  'meta Duration': {},
  'meta FieldsV1': {},
  'meta Quantity': { definition: 'io.k8s.apimachinery.pkg.api.resource.Quantity' },
  'meta IntOrString': { definition: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString' },
  'meta RawExtension': { definition: 'io.k8s.apimachinery.pkg.runtime.RawExtension' },
  'meta Info': {
    definition: 'io.k8s.apimachinery.pkg.version.Info',
    fields: [
      'buildDate',
      'compiler',
      'emulationMajor',
      'emulationMinor',
      'gitCommit',
      'gitTreeState',
      'gitVersion',
      'goVersion',
      'major',
      'minCompatibilityMajor',
      'minCompatibilityMinor',
      'minor',
      'platform',
    ],
  },
  'apiextensions JSON': {},
}

/** Versions that no server serves. Their types need no descriptions, except those that a served version shares. */
const unservedFolders = new Set(
  'admission/v1 admission/v1beta1 apidiscovery/v2 apidiscovery/v2beta1 apiextensions/v1beta1 apiregistration/v1beta1 apps/v1beta1 apps/v1beta2 audit/v1 authentication/v1alpha1 authentication/v1beta1 authorization/v1beta1 batch/v1beta1 discovery/v1beta1 events/v1beta1 extensions/v1beta1 flowcontrol/v1beta1 flowcontrol/v1beta2 flowcontrol/v1beta3 imagepolicy/v1alpha1 meta/v1beta1 node/v1alpha1 node/v1beta1 policy/v1beta1 rbac/v1alpha1 rbac/v1beta1 scheduling/v1beta1 storage/v1alpha1'.split(
    ' ',
  ),
)

/** A type or field that a served version has. */
export interface DescribedItem {
  /** "core" */
  readonly group: string
  /** "v1.PodSpec" */
  readonly type: string
  /** JSON name of a field, "" for the type. */
  readonly field: string
  readonly facts?: FieldFacts
  readonly text: string | undefined
}

/** Lists all types and fields that must have descriptions, with those they have. */
export function listDescribedItems(model: Model, texts: ReadonlyMap<string, GroupTexts>): DescribedItem[] {
  const items: DescribedItem[] = []
  for (const [key, { fields = [] }] of Object.entries(typesWithoutFacts)) {
    const [group, type] = key.split(' ') as [string, string]
    const names = type === 'Object' || type === 'Parameters' ? fields : ['', ...fields]
    for (const field of names) items.push({ group, type, field, text: texts.get(group)?.[type]?.[field] })
  }
  for (const { module, name, isInlined } of listServedTypes(model)) {
    const { group, version } = splitFolder(module)
    const message = module.facts.messages[name]!
    const isSharedList = isListKind(name, message) && name !== 'List'
    if (isSharedList) continue
    const found = findTexts(texts, group, name, version)
    const type = `${version}.${name}`
    if (!isInlined) items.push({ group, type, field: '', text: found[''] })
    for (const [field, facts] of Object.entries(message.fields)) {
      if (facts.inline || (message.kind === true && field === 'metadata')) continue
      items.push({ group, type, field, facts, text: found[field] })
    }
  }
  return items
}

interface ServedType {
  readonly module: Module
  readonly name: string
  readonly isInlined: boolean
}

/** Lists the kinds of the served versions and all types to which they refer. */
function listServedTypes(model: Model): Iterable<ServedType> {
  const found = new Map<string, ServedType>()
  const pending: ServedType[] = model.modules
    .filter(({ folder }) => !unservedFolders.has(folder))
    .flatMap((module) =>
      Object.entries(module.facts.messages).flatMap(([name, { kind }]) => (kind ? { module, name, isInlined: false } : [])),
    )
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { module, name, isInlined } = next
    const key = `${module.folder}.${name}`
    if (found.has(key) && (isInlined || !found.get(key)!.isInlined)) continue
    found.set(key, next)
    for (const field of Object.values(module.facts.messages[name]!.fields)) {
      const type = model.resolveType(module, field)
      if (type.kind === 'message') pending.push({ module: type.module, name: type.name, isInlined: field.inline === true })
    }
  }
  return found.values()
}

function splitFolder({ folder }: Module): { readonly group: string; readonly version: string } {
  const [group, version] = folder.split('/') as [string, string]
  return { group, version }
}

/** Returns the texts of a type. Without a version, returns those that apply to all versions. */
function findTexts(texts: ReadonlyMap<string, GroupTexts>, group: string, type: string, version?: string): TypeTexts {
  const types = texts.get(group)
  const { '=': reference, ...written } = { ...types?.[type], ...(version !== undefined && types?.[`${version}.${type}`]) }
  if (reference === undefined) return written
  const [otherType, otherGroup = group] = reference.split('.').toReversed() as [string, string?]
  const { '': _, ...fields } = findTexts(texts, otherGroup, otherType)
  return { ...fields, ...written }
}

/** Lists the types and fields in the descriptions that do not exist: "core PodSpec.foo". */
export function listUnknownItems(model: Model, texts: ReadonlyMap<string, GroupTexts>): string[] {
  const unknown: string[] = []
  for (const [group, types] of texts) {
    for (const [key, fields] of Object.entries(types)) {
      const [, version, type = ''] = /^(?:(v\d\w*)\.)?(.+)$/.exec(key) ?? []
      const owners = model.modules.filter(
        (module) =>
          splitFolder(module).group === group &&
          (version === undefined || splitFolder(module).version === version) &&
          module.facts.messages[type] !== undefined,
      )
      const withoutFacts = typesWithoutFacts[`${group} ${type}`]
      if (owners.length === 0 && withoutFacts === undefined) unknown.push(`${group} ${key}`)
      for (const field of Object.keys(fields)) {
        if (field === '' || field === '=') continue
        const isKnown = withoutFacts?.fields?.includes(field) || owners.some((owner) => listFieldNames(model, owner, type).includes(field))
        if (!isKnown) unknown.push(`${group} ${key}.${field}`)
      }
    }
  }
  return unknown
}

/** Lists the fields of a type, including those of inlined types. */
function listFieldNames(model: Model, module: Module, type: string): readonly string[] {
  return Object.entries(module.facts.messages[type]!.fields).flatMap(([name, field]) => {
    const inlined = field.inline ? model.resolveType(module, field) : undefined
    return inlined?.kind === 'message' ? listFieldNames(model, inlined.module, inlined.name) : [name]
  })
}

/**
 * Compiles the descriptions for the package api. Each line has the descriptions of a type as JSON: the OpenAPI definition without its version, the
 * text of the type, and the texts of its fields. A type that differs in one version has another line with the version. The fields of inlined
 * types are repeated.
 */
export function compileDescriptions(model: Model, texts: ReadonlyMap<string, GroupTexts>): string {
  const lines: string[] = []
  for (const [group, types] of texts) {
    const modules = model.modules.filter((module) => splitFolder(module).group === group)
    for (const key of Object.keys(types)) {
      const withoutFacts = typesWithoutFacts[`${group} ${key}`]
      const definition = withoutFacts?.definition ?? `${modules[0]!.facts.definition.replace(/\.v\d\w*$/, '')}.${key}`
      lines.push(formatLine(definition, withoutFacts ? types[key]! : collectTexts(model, modules, texts, key)))
    }
  }
  return `${lines.toSorted().join('\n')}\n`
}

function formatLine(definition: string, { '': text = '', ...fields }: TypeTexts): string {
  return JSON.stringify([definition, text, fields])
}

/** Returns the texts of a type, including those of the fields that it inlines. */
function collectTexts(model: Model, modules: readonly Module[], texts: ReadonlyMap<string, GroupTexts>, key: string): TypeTexts {
  const type = key.slice(key.indexOf('.') + 1)
  const collected: Record<string, string> = {}
  for (const module of modules) {
    const { group, version } = splitFolder(module)
    const message = module.facts.messages[type]
    if (message === undefined || (key !== type && key !== `${version}.${type}`)) continue
    const written = findTexts(texts, group, type, key === type ? undefined : version)
    for (const field of Object.values(message.fields)) {
      const inlined = field.inline ? model.resolveType(module, field) : undefined
      if (inlined?.kind === 'message') Object.assign(collected, collectTexts(model, [inlined.module], texts, inlined.name))
    }
    for (const name of ['', ...listFieldNames(model, module, type)]) if (written[name] !== undefined) collected[name] = written[name]
  }
  return collected
}
