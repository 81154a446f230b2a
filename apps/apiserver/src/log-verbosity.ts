/** Verbosity from which slow requests are logged with their steps. */
const slowRequestVerbosity = 2
/** Verbosity from which every request is logged. */
const requestVerbosity = 3
/** Verbosity from which slow requests are logged with all of their steps. */
const detailVerbosity = 4
const maxVerbosity = 2 ** 31 - 1

/** Verbosity of the messages of some modules: a pattern of module names and a level. */
export interface ModuleVerbosity {
  readonly pattern: string
  readonly level: number
}

/**
 * Modules of messages, for `--vmodule`: the names of the files that log these messages in kube-apiserver. Messages that are not in this table
 * belong to the module `keelson`.
 */
const modules: ReadonlyMap<string, string> = new Map([
  ['HTTP', 'httplog'],
  ['Unable to authenticate the request', 'authentication'],
  ['APIService availability', 'remote_available_controller'],
  ['Compacted etcd', 'compact'],
])

/** Decides which messages are logged. `set` changes the verbosity while the server runs. */
export class LogVerbosity {
  #level: number
  readonly #modules: readonly ModuleVerbosity[]
  /** Levels by module. The first pattern that matches decides. */
  readonly #levels = new Map<string, number | undefined>()

  constructor(level: number, modules: readonly ModuleVerbosity[] = []) {
    this.#level = level
    this.#modules = modules
  }

  /** Returns whether a message is logged. */
  includes(level: number, text: string): boolean {
    return level <= this.#level || (this.#modules.length > 0 && level <= this.#getLevel(modules.get(text) ?? 'keelson'))
  }

  get logsRequests(): boolean {
    return this.includes(requestVerbosity, 'HTTP')
  }

  get logsSlowRequests(): boolean {
    return slowRequestVerbosity <= this.#level || slowRequestVerbosity <= this.#getLevel('trace')
  }

  get logsAllSteps(): boolean {
    return detailVerbosity <= this.#level || detailVerbosity <= this.#getLevel('trace')
  }

  /** Sets the verbosity. Throws an error with Go's message if the text is not a number. */
  set(text: string): void {
    const problem = /^[0-9]+$/.test(text) ? (Number(text) > maxVerbosity ? 'value out of range' : undefined) : 'invalid syntax'
    if (problem !== undefined) throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(text)}: ${problem}`)
    this.#level = Number(text)
  }

  #getLevel(module: string): number {
    if (!this.#levels.has(module)) this.#levels.set(module, this.#modules.find(({ pattern }) => matchesPattern(pattern, module))?.level)
    return this.#levels.get(module) ?? -1
  }
}

/** Returns whether a name matches a pattern, in which `*` stands for any characters and `?` for one. Takes linear time for each `*`. */
function matchesPattern(pattern: string, name: string): boolean {
  let at = 0
  let star = -1
  let retry = 0
  for (let i = 0; i < name.length;) {
    if (pattern[at] === '*') {
      star = at++
      retry = i
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[i])) {
      at++
      i++
    } else if (star >= 0) {
      at = star + 1
      i = ++retry
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
