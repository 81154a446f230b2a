import { createRequire } from 'node:module'
import type * as cel from '@keelson/cel'

type Library = typeof cel
let loaded: Library | undefined

/** Loads the CEL compiler on first use, because most servers never compile an expression. Synchronous, like validation. */
export function loadCelLibrary(): Library {
  return (loaded ??= createRequire(import.meta.url)('@keelson/cel') as Library)
}
