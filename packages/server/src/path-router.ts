import { UnsupportedPathError } from 'hono/router'
import type { Result, Router } from 'hono/router'
import type { ErrorHandler, H, Next, RouterRoute } from 'hono/types'
import type { InstallerContext, InstallerEnv } from '@keelson/http-installer'

type Serve = H<InstallerEnv>
type Route = [serve: Serve, route: RouterRoute]

interface Added {
  readonly method: string
  readonly pattern: string
  readonly route: Route
}

interface Prefix {
  readonly text: string
  readonly pattern: string
  /** Whether whole paths below it were added, too. */
  readonly holdsPaths: boolean
}

const nothing: Result<Route> = [[]]

/**
 * A router for whole paths ("/version") and prefixes ("/api/*"), which is all that this server has; it refuses other patterns, so that another router
 * takes over. It joins the handlers of a pattern into one and remembers it, because Hono's routers match a regular expression and compose the handlers
 * again for each request, which costs more than the filters.
 *
 * A result of `match` has one handler, without parameters: `[[[[handler, route], {}]]]`.
 */
export class PathRouter implements Router<Route> {
  readonly name = 'PathRouter'
  readonly #onError: ErrorHandler<InstallerEnv>
  readonly #added: Added[] = []
  readonly #methods = new Set<string>()
  readonly #paths = new Set<string>()
  /** The longest first. */
  #prefixes: readonly Prefix[] = []
  /** By method, then by path or pattern. */
  readonly #results = new Map<string, Map<string, Result<Route>>>()

  constructor(onError: ErrorHandler<InstallerEnv>) {
    this.#onError = onError
  }

  add(method: string, pattern: string, route: Route): void {
    const isPrefix = pattern.endsWith('/*')
    if (/[:{*]/.test(isPrefix ? pattern.slice(0, -1) : pattern)) throw new UnsupportedPathError()
    this.#added.push({ method, pattern, route })
    this.#methods.add(method)
    // "/api/*" also matches "/api".
    this.#paths.add(isPrefix ? pattern.slice(0, -2) : pattern)
    const patterns = new Set(this.#added.map((added) => added.pattern).filter((added) => added.endsWith('/*')))
    this.#prefixes = [...patterns].sort((a, b) => b.length - a.length).map((each) => this.#prefixOf(each))
    this.#results.clear()
  }

  #prefixOf(pattern: string): Prefix {
    const text = pattern.slice(0, -1)
    return { text, pattern, holdsPaths: [...this.#paths].some((path) => path.startsWith(text)) }
  }

  match(method: string, path: string): Result<Route> {
    const prefix = this.#prefixes.find(({ text }) => path.startsWith(text))
    const key = prefix?.holdsPaths !== false && this.#paths.has(path) ? path : prefix?.pattern
    if (key === undefined) return nothing
    // Clients may send any method.
    const known = this.#methods.has(method) ? method : 'ALL'
    let results = this.#results.get(known)
    if (results === undefined) this.#results.set(known, (results = new Map<string, Result<Route>>()))
    let result = results.get(key)
    if (result === undefined) results.set(key, (result = this.#resolve(known, path)))
    return result
  }

  #resolve(method: string, path: string): Result<Route> {
    const routes = this.#added.filter((added) => (added.method === 'ALL' || added.method === method) && matches(added.pattern, path))
    if (routes.length === 0) return nothing
    const serve = routes.map(({ route }) => route[0]).reduceRight((behind, before) => this.#join(before, behind))
    return [[[[serve, routes[0]!.route[1]], {}]]]
  }

  /** Joins two handlers: `next` of the first is the second. Errors of the second are answered between them, as Hono does. */
  #join(before: Serve, behind: Serve): Serve {
    const serveBehind = async (c: InstallerContext, next: Next): Promise<void> => {
      try {
        const answer = await behind(c, next)
        if (answer && !c.finalized) c.res = answer
      } catch (error) {
        if (!(error instanceof Error)) throw error
        c.error = error
        c.res = await this.#onError(error, c)
      }
    }
    return (c, next) => before(c, () => serveBehind(c, next))
  }
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return pattern === path
  return path.startsWith(pattern.slice(0, -1)) || path === pattern.slice(0, -2)
}
