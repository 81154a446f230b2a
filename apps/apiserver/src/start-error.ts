import path from 'node:path'
import type { FlagValues } from './flags.ts'

/** Error for a failed start that the user can fix. It is reported as one sentence without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
  /** True if the flags are wrong. False if a file, port or server that a flag names cannot be used. */
  readonly isUsage: boolean

  constructor(message: string, options: ErrorOptions & { readonly isUsage?: boolean } = {}) {
    super(message, options)
    this.isUsage = options.isUsage ?? false
  }
}

/** Collects problems, so that all of them can be reported together. */
export class Problems {
  readonly #errors: StartError[] = []

  get messages(): readonly string[] {
    return [...new Set(this.#errors.map(({ message }) => message))]
  }

  get hasUsage(): boolean {
    return this.#errors.some(({ isUsage }) => isUsage)
  }

  usage(message: string): void {
    this.#errors.push(new StartError(message, { isUsage: true }))
  }

  /** Adds a problem that is not caused by wrong flags. */
  failure(message: string, cause: unknown): void {
    this.#errors.push(new StartError(message, { cause }))
  }

  /** Runs one step. If the step throws a `StartError`, adds it to the problems and returns undefined. */
  async attempt<T>(step: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      this.#errors.push(error)
      return undefined
    }
  }
}

/** Converts common errors of a start to a `StartError` that explains them. Other errors are returned unchanged. */
export function explain(error: unknown, values: FlagValues, bindAddress: string): unknown {
  if (error instanceof StartError) return error
  const { code, name, message, syscall, path: file } = error as NodeJS.ErrnoException
  const at = `${bindAddress}:${values['secure-port']}`
  if (code === 'EADDRINUSE')
    return new StartError(`${at} is in use by another program; choose another --secure-port (0 selects a free port)`, { cause: error })
  if (code === 'EACCES' && syscall === 'listen') {
    return new StartError(`listening on ${at} is not permitted; choose a --secure-port above 1023`, { cause: error })
  }
  if (code === 'EADDRNOTAVAIL') return new StartError(`--bind-address ${bindAddress} is not an address of this machine`, { cause: error })
  if (name === 'ConfigurationError') return new StartError(message, { cause: error })
  if (name === 'DamagedStoreError') return new StartError(`the store in ${values['data-dir']}: ${message}`, { cause: error })
  if (name === 'UnavailableError') return new StartError(`--etcd-servers: ${message}`, { cause: error })
  if (name === 'LockedError' || name === 'UnusableStoreError') return new StartError(message, { cause: error })
  // Handles other failed system calls on a file. Node's message contains the code, the call and the path.
  if (typeof syscall === 'string' && (file !== undefined || code === 'ENOSPC')) {
    return new StartError(`${findPlace(file, values)} cannot be used: ${message}`, { cause: error })
  }
  return error
}

function findPlace(file: string | undefined, values: FlagValues): string {
  const directories = { '--cert-dir': values['cert-dir'], 'the data directory': values['data-dir'] }
  for (const [name, directory] of Object.entries(directories)) {
    if (directory === undefined) continue
    const absolute = path.resolve(directory)
    // The directory itself or one of its parents is missing.
    if (file === undefined || isWithin(absolute, path.resolve(file)) || isWithin(path.resolve(file), absolute))
      return `${name} ${directory}`
  }
  return file ?? 'a file'
}

function isWithin(directory: string, file: string): boolean {
  const relative = path.relative(directory, file)
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}
