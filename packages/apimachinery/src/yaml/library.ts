import { createRequire } from 'node:module'
import type * as yaml from 'yaml'
import type { Alias, Scalar, YAMLMap, YAMLSeq } from 'yaml'

type Library = typeof yaml
let loaded: Library | undefined

/** Returns the YAML library and loads it on first use. Loading takes longer than the start of a server, and most servers never read YAML. */
export function loadYamlLibrary(): Library {
  return (loaded ??= createRequire(import.meta.url)('yaml') as Library)
}

export function isAlias(node: unknown): node is Alias {
  return loadYamlLibrary().isAlias(node)
}

export function isMap(node: unknown): node is YAMLMap {
  return loadYamlLibrary().isMap(node)
}

export function isSeq(node: unknown): node is YAMLSeq {
  return loadYamlLibrary().isSeq(node)
}

export function isScalar(node: unknown): node is Scalar {
  return loadYamlLibrary().isScalar(node)
}
