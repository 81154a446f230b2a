import { AsyncLocalStorage } from 'node:async_hooks'
import type { Debugger, Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'

/** A function in the source code, with its position. */
export interface SourceFunction {
  /** Path of the file relative to the root, for example "packages/registry/src/store.ts". */
  readonly file: string
  /** Name of the function. "" for an anonymous function. */
  readonly name: string
  /** Line number, starting at 1. */
  readonly line: number
}

/** A frame of a call stack. */
export type Frame = SourceFunction

/** A function call with its call stack. */
export interface Entry {
  readonly callee: SourceFunction
  /** Frames of the callers, direct caller first. Empty if the event loop called the function. */
  readonly callers: readonly Frame[]
  /** True if the call ran in the asynchronous context of the traced action. */
  readonly isPartOfAction: boolean
}

interface LocatedFunction extends SourceFunction {
  readonly range: Debugger.GetPossibleBreakpointsParameterType
}

export interface Action {
  /** Prepares one run of the action. Calls in it are not traced. */
  readonly prepare: () => Promise<void>
  readonly run: () => Promise<void>
  /** Another action whose calls are subtracted, because these calls only prepare or surround the traced action. */
  readonly apart?: Action
}

const rounds = 5
const hook = '__keelsonWalkEntered'

/**
 * Traces function calls in this process with V8's inspector, without changes to the code. Precise coverage finds the functions of an action.
 * Then a breakpoint in each function records the call stack in its condition. The condition is never true, so the process does not stop.
 *
 * Load modules after `open`, because V8 counts only code that it compiles afterwards.
 */
export class EngineTrace implements AsyncDisposable {
  readonly #session = new Session()
  readonly #root: string
  readonly #scripts = new Map<string, Script>()
  readonly #action = new AsyncLocalStorage<true>()

  private constructor(root: string) {
    this.#root = root
  }

  /** Starts a trace of the packages below `root`, a file URL that ends with a slash. */
  static async open(root: string): Promise<EngineTrace> {
    const trace = new EngineTrace(root)
    trace.#session.connect()
    await trace.#session.post('Profiler.enable')
    await trace.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    return trace
  }

  /** Marks the current asynchronous context, so that later calls in it count as calls of the action. */
  enter(): void {
    this.#action.enterWith(true)
  }

  /** Records all function calls of an action. Runs the action several times, and records the last run. */
  async record(action: Action): Promise<Entry[]> {
    const functions = await this.#functionsOf(action)
    const entries: Entry[] = []
    await action.prepare()
    Object.assign(globalThis, { [hook]: (index: number) => this.#note(functions[index]!, entries) })
    await this.#session.post('Debugger.enable')
    try {
      for (const [index, { range }] of functions.entries()) {
        const location = await this.#firstLocation(range)
        if (location) await this.#session.post('Debugger.setBreakpoint', { location, condition: `${hook}(${index})` })
      }
      await action.run()
    } finally {
      await this.#session.post('Debugger.disable')
      Reflect.deleteProperty(globalThis, hook)
    }
    return entries
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }

  /** Returns the functions that were called in every run of the action. Functions that were not called in every run belong to timers. */
  async #functionsOf(action: Action): Promise<LocatedFunction[]> {
    let found: Map<string, LocatedFunction> | undefined
    for (let round = 0; round < rounds; round++) {
      const ran = new Map<string, LocatedFunction>()
      await action.prepare()
      await this.#session.post('Profiler.takePreciseCoverage')
      await action.run()
      const { result } = await this.#session.post('Profiler.takePreciseCoverage')
      await this.#session.post('Debugger.enable')
      for (const { scriptId, url, functions } of result) {
        const file = this.#getFile(url)
        if (file === undefined) continue
        const script = await this.#script(scriptId)
        for (const { functionName: name, ranges } of functions) {
          const [{ startOffset, endOffset, count }] = ranges as [Profiler.CoverageRange]
          if (count === 0 || endOffset - startOffset >= script.length) continue
          const range = { start: script.location(startOffset), end: script.location(endOffset), restrictToFunction: true }
          const key = `${scriptId}:${startOffset}:${endOffset}`
          if (found === undefined || found.has(key)) ran.set(key, { file, name, line: range.start.lineNumber + 1, range })
        }
      }
      await this.#session.post('Debugger.disable')
      found = ran
    }
    return [...(found?.values() ?? [])]
  }

  async #script(scriptId: string): Promise<Script> {
    const cached = this.#scripts.get(scriptId)
    if (cached) return cached
    const { scriptSource } = await this.#session.post('Debugger.getScriptSource', { scriptId })
    const script = new Script(scriptId, scriptSource)
    this.#scripts.set(scriptId, script)
    return script
  }

  /**
   * Returns the position of the first statement of a function. Skips calls in default values of parameters, because they only run if the
   * argument is missing.
   */
  async #firstLocation(range: LocatedFunction['range']): Promise<Debugger.Location | undefined> {
    const { locations } = await this.#session.post('Debugger.getPossibleBreakpoints', range)
    return locations.find(({ type }) => type === undefined) ?? locations[0]
  }

  #note(callee: LocatedFunction, entries: Entry[]): void {
    const [, ...callers] = this.#stack()
    const { file, name, line } = callee
    entries.push({ callee: { file, name, line }, callers, isPartOfAction: this.#action.getStore() === true })
  }

  /** Returns the frames of the current call stack that are in the sources, innermost first. */
  #stack(): Frame[] {
    const { stackTraceLimit } = Error
    const prepareStackTrace: unknown = Reflect.get(Error, 'prepareStackTrace')
    const holder: { stack?: Frame[] } = {}
    Error.stackTraceLimit = 100
    Error.prepareStackTrace = (_error, sites) =>
      sites.flatMap((site) => {
        const file = this.#getFile(site.getFileName() ?? '')
        return file === undefined ? [] : [{ file, name: site.getFunctionName() ?? '', line: site.getLineNumber() ?? 0 }]
      })
    try {
      Error.captureStackTrace(holder)
      // V8 formats the stack when the property is read.
      return holder.stack ?? []
    } finally {
      Object.assign(Error, { prepareStackTrace, stackTraceLimit })
    }
  }

  #getFile(url: string): string | undefined {
    return url.startsWith(`${this.#root}packages/`) && !url.includes('/node_modules/') ? url.slice(this.#root.length) : undefined
  }
}

/** A loaded script. Converts offsets in its source to lines and columns. */
class Script {
  readonly length: number
  readonly #scriptId: string
  readonly #lineStarts: readonly number[]

  constructor(scriptId: string, source: string) {
    this.#scriptId = scriptId
    this.length = source.length
    this.#lineStarts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)]
  }

  location(offset: number): Debugger.Location {
    const next = this.#lineStarts.findIndex((start) => start > offset)
    const lineNumber = (next === -1 ? this.#lineStarts.length : next) - 1
    return { scriptId: this.#scriptId, lineNumber, columnNumber: offset - this.#lineStarts[lineNumber]! }
  }
}
