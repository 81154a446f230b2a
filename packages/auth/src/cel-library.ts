import { createRequire } from 'node:module'
import type * as cel from '@keelson/cel'

type Library = typeof cel
let loaded: Library | undefined

/** Returns the CEL library, which is loaded on the first call: most servers have no CEL expressions in their configuration. */
export function loadCelLibrary(): Library {
  return (loaded ??= createRequire(import.meta.url)('@keelson/cel') as Library)
}
