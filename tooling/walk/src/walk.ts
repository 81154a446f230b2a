import type { Entry, Frame, SourceFunction } from './engine-trace.ts'
import { packageOf } from './layers.ts'
import type { Layers } from './layers.ts'

/** A function that ran, and how often. */
export interface WalkedFunction extends SourceFunction {
  readonly calls: number
}

export interface UpwardCall {
  readonly caller: Frame
  readonly callee: SourceFunction
}

/** Where an action went. */
export interface Walk {
  /** In the order in which they were first called. */
  readonly functions: readonly WalkedFunction[]
  /** In the order in which they were entered first. */
  readonly files: readonly string[]
  /** Highest layer first. */
  readonly packages: readonly string[]
  /** Pairs of packages of which the first calls into the second, "registry → cacher". */
  readonly crossings: readonly string[]
  /** Calls by which the registry or a layer below it gets into HTTP: closures that were handed down. */
  readonly upward: readonly UpwardCall[]
}

/** Sums up the calls of one action. */
export function walkOf(entries: readonly Entry[], layers: Layers): Walk {
  const functions = new Map<string, SourceFunction & { calls: number }>()
  const files = new Set<string>()
  const crossings = new Set<string>()
  const upward = new Map<string, UpwardCall>()
  for (const { callee, callers } of entries) {
    const key = labelOf(callee)
    const known = functions.get(key)
    if (known) known.calls++
    else functions.set(key, { ...callee, calls: 1 })
    files.add(callee.file)
    const to = packageOf(callee.file)
    const from = packageOf(callers[0]?.file ?? callee.file)
    if (from !== to) crossings.add(`${from} → ${to}`)
    const caller = callers.find(({ file }) => !layers.is(packageOf(file), 'base', 'types'))
    if (caller && layers.is(to, 'http', 'server') && isBelowHttp(packageOf(caller.file), layers))
      upward.set(`${labelOf(caller)} → ${key}`, { caller, callee })
  }
  return {
    functions: [...functions.values()],
    files: [...files],
    packages: layers.sort(new Set([...files].map(packageOf))),
    crossings: [...crossings],
    upward: [...upward.values()],
  }
}

/** The base layers are not listed: calls through their helpers count as calls of the function that called the helper. */
function isBelowHttp(packageName: string, layers: Layers): boolean {
  return layers.is(packageName, 'storage', 'cache', 'registry')
}

export function labelOf({ file, name, line }: SourceFunction): string {
  return `${file}:${line} ${name || '(anonymous)'}`
}
