import { createRequire } from 'node:module'
import type * as cel from '@keelson/cel'

type Library = typeof cel
let loaded: Library | undefined

/** Loads the evaluator of expressions on first use, because most servers have none in their configuration. */
export function celLibrary(): Library {
  return (loaded ??= createRequire(import.meta.url)('@keelson/cel') as Library)
}
