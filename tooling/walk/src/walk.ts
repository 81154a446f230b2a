import type { Entry, Frame, SourceFunction } from './engine-trace.ts'
import { getPackage } from './layers.ts'
import type { Layers } from './layers.ts'

/** A called function with its number of calls. */
export interface WalkedFunction extends SourceFunction {
  readonly calls: number
}

export interface UpwardCall {
  readonly caller: Frame
  readonly callee: SourceFunction
}

/** The summary of the calls of an action. */
export interface Walk {
  /** Called functions, in the order of their first call. */
  readonly functions: readonly WalkedFunction[]
  /** In order of the first call. */
  readonly files: readonly string[]
  /** Packages of the called functions, highest layer first. */
  readonly packages: readonly string[]
  /** Calls between packages, for example "registry → cacher". */
  readonly crossings: readonly string[]
  /** Calls from the registry or a lower layer into HTTP packages. Such calls are possible through callbacks. */
  readonly upward: readonly UpwardCall[]
}

/** Summarizes the calls of one action. */
export function summarizeCalls(entries: readonly Entry[], layers: Layers): Walk {
  const functions = new Map<string, SourceFunction & { calls: number }>()
  const files = new Set<string>()
  const crossings = new Set<string>()
  const upward = new Map<string, UpwardCall>()
  for (const { callee, callers } of entries) {
    const key = formatLabel(callee)
    const existing = functions.get(key)
    if (existing) existing.calls++
    else functions.set(key, { ...callee, calls: 1 })
    files.add(callee.file)
    const to = getPackage(callee.file)
    const from = getPackage(callers[0]?.file ?? callee.file)
    if (from !== to) crossings.add(`${from} → ${to}`)
    const caller = callers.find(({ file }) => !layers.is(getPackage(file), 'base', 'types'))
    if (caller && layers.is(to, 'http', 'server') && isBelowHttp(getPackage(caller.file), layers))
      upward.set(`${formatLabel(caller)} → ${key}`, { caller, callee })
  }
  return {
    functions: [...functions.values()],
    files: [...files],
    packages: layers.sort(new Set([...files].map(getPackage))),
    crossings: [...crossings],
    upward: [...upward.values()],
  }
}

/**
 * Returns whether a package is in a layer below HTTP, without the base layers. A call through a function of a base layer counts as a call
 * by that function's caller.
 */
function isBelowHttp(packageName: string, layers: Layers): boolean {
  return layers.is(packageName, 'storage', 'cache', 'registry')
}

export function formatLabel({ file, name, line }: SourceFunction): string {
  return `${file}:${line} ${name || '(anonymous)'}`
}
