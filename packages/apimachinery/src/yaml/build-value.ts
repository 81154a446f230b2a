import type { Alias, Node, Pair, Scalar, YAMLMap } from 'yaml'
import { quote } from '../go-text.ts'
import { JsonError } from '../json-error.ts'
import { setOwn } from '../set-own.ts'
import { mapList } from '../json-value.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { formatFloat } from './format-float.ts'
import { isAlias, isMap, isScalar, isSeq } from './library.ts'
import type { ParsedYaml } from './parse-yaml.ts'
import { resolveScalar } from './resolve-scalar.ts'
import type { YamlScalar } from './resolve-scalar.ts'
import { YamlError } from './yaml-error.ts'

export interface Source {
  readonly text: string
  /** Returns the line number of an offset. The first line is 1. */
  lineAt(offset: number): number
}

/** Converts a parsed YAML document to JSON. */
export function buildValue(root: Node | null, source: Source): ParsedYaml {
  const builder = new Builder(resolveAliases(root), source)
  const value = builder.build(root)
  const duplicates = builder.repeated.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${builder.repeated.join('\n  ')}`]
  return { value, duplicates }
}

/** Finds the node of each alias. The node is the last one before the alias whose anchor has that name. It may contain the alias; such a cycle is an error. */
function resolveAliases(root: Node | null): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  const open: unknown[] = [root]
  while (open.length > 0) {
    const node = open.pop()
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (target === undefined) throw new YamlError(`unknown anchor '${node.source}' referenced`)
      targets.set(node, target)
      continue
    }
    if (isScalar(node) || isMap(node) || isSeq(node)) if (node.anchor !== undefined) anchors.set(node.anchor, node)
    if (isSeq(node)) for (const item of node.items.toReversed()) open.push(item)
    else if (isMap(node)) for (const pair of node.items.toReversed()) open.push(pair.value, pair.key)
  }
  return targets
}

class Builder {
  readonly repeated: string[] = []
  private readonly aliases: ReadonlyMap<Alias, Node>
  private readonly source: Source
  private readonly expanding = new Set<Alias>()
  private steps = 0
  private aliasSteps = 0

  constructor(aliases: ReadonlyMap<Alias, Node>, source: Source) {
    this.aliases = aliases
    this.source = source
  }

  build(node: unknown): JsonValue {
    this.count()
    if (isAlias(node)) return this.expand(node, (target) => this.build(target))
    if (isMap(node)) return this.mapping(node)
    if (isSeq(node)) return mapList(node.items, (item) => this.build(item))
    return toJsonScalar(this.scalar(node))
  }

  /** Throws if the document consists mostly of aliases, because a small text could then expand to a large value. */
  private count(): void {
    this.steps++
    if (this.expanding.size > 0) this.aliasSteps++
    if (this.aliasSteps > 100 && this.steps > 1000 && this.aliasSteps / this.steps > limitAliasRatio(this.steps)) {
      throw new YamlError('document contains excessive aliasing')
    }
  }

  private expand<T>(alias: Alias, build: (target: Node) => T): T {
    if (this.expanding.has(alias)) throw new YamlError(`anchor '${alias.source}' value contains itself`)
    this.expanding.add(alias)
    const value = build(this.aliases.get(alias)!)
    this.expanding.delete(alias)
    return value
  }

  private mapping(node: YAMLMap): JsonObject {
    const members = new Map<YamlScalar, JsonValue>()
    this.fill(node, members)
    const anchors = new Map<string, JsonValue>()
    for (const [key, value] of members) anchors.set(formatKey(key, value), value)
    const object: { [key: string]: unknown } = {}
    for (const key of [...anchors.keys()].sort()) setOwn(object, key, anchors.get(key))
    return object as JsonObject
  }

  private fill(node: YAMLMap, members: Map<YamlScalar, JsonValue>): void {
    for (const pair of node.items) {
      if (isMerge(pair.key)) this.merge(pair.value, members)
      else {
        const key = this.key(pair.key)
        const value = this.build(pair.value)
        if (members.has(key)) this.repeated.push(`line ${this.lineOf(pair)}: key ${goSyntax(key)} already set in map`)
        members.set(key, value)
      }
    }
  }

  private key(node: unknown): YamlScalar {
    this.count()
    if (isAlias(node)) return this.expand(node, (target) => this.key(target))
    if (isMap(node) || isSeq(node)) throw new YamlError(`invalid map key: ${goSyntax(this.build(node))}`)
    return this.scalar(node)
  }

  /** Adds the members of a merge key (`<<`) at its position. They replace earlier members with the same name, and later members replace them. */
  private merge(node: unknown, members: Map<YamlScalar, JsonValue>): void {
    if (isSeq(node)) {
      for (const item of node.items.toReversed()) this.mergeOne(item, members)
    } else this.mergeOne(node, members)
  }

  private mergeOne(node: unknown, members: Map<YamlScalar, JsonValue>): void {
    this.count()
    if (isAlias(node)) return this.expand(node, (target) => this.mergeOne(target, members))
    if (!isMap(node)) throw new YamlError('map merge requires map or sequence of maps as the value')
    this.fill(node, members)
  }

  private scalar(node: unknown): YamlScalar {
    if (!isScalar(node)) return null
    const text = this.textOf(node)
    const tag = node.tag ?? ''
    return tag === '' && node.type !== 'PLAIN' && node.type !== undefined ? text : resolveScalar(text, tag)
  }

  /**
   * Returns the text of a scalar. Corrects a block scalar at the end of a document that does not end with a line break: its text must not end
   * with one either.
   */
  private textOf(node: Scalar): string {
    const text = typeof node.value === 'string' ? node.value : (node.source ?? '')
    const block = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
    const cut = block && node.range != null && node.range[1] >= this.source.text.length && !/[\r\n]$/.test(this.source.text)
    return cut && text.endsWith('\n') ? text.slice(0, -1) : text
  }

  private lineOf(pair: Pair): number {
    const value = pair.value as Node | null
    const offset = value?.range?.[0] ?? (pair.key as Node).range?.[0] ?? 0
    return this.source.lineAt(isScalar(value) && value.source === '' ? ((pair.key as Node).range?.[0] ?? offset) : offset)
  }
}

function limitAliasRatio(steps: number): number {
  if (steps <= 400_000) return 0.99
  return steps >= 4_000_000 ? 0.1 : 0.99 - 0.89 * ((steps - 400_000) / 3_600_000)
}

function isMerge(node: unknown): boolean {
  if (!isScalar(node) || node.source !== '<<') return false
  return node.tag === 'tag:yaml.org,2002:merge' || (node.type === 'PLAIN' && node.tag === undefined)
}

function toJsonScalar(value: YamlScalar): JsonValue {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new JsonError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`)
  }
  return value as JsonValue
}

function formatKey(key: YamlScalar, value: JsonValue): string {
  if (key === null) throw new JsonError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(value)}`)
  if (typeof key !== 'number') return String(key)
  if (Number.isNaN(key)) return '.nan'
  if (!Number.isFinite(key)) return key > 0 ? '.inf' : '-.inf'
  return Number.isInteger(key) ? String(key) : formatFloat(key, { single: true })
}

/** Formats a value like Go's `%#v`. */
function goSyntax(value: JsonValue | YamlScalar): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  const members = Object.entries(value).map(([key, member]) => `${quote(key)}:${goSyntax(member)}`)
  return `map[interface {}]interface {}{${members.join(', ')}}`
}
