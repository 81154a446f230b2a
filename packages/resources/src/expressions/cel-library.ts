import { createRequire } from 'node:module'
import type * as cel from '@keelson/cel'

type Library = typeof cel
let loaded: Library | undefined

/** The compiler of expressions, loaded when the first one is seen: most servers never see any, and validation does not wait for anything. */
export function celLibrary(): Library {
  return (loaded ??= createRequire(import.meta.url)('@keelson/cel') as Library)
}
