import type { FlagValues } from './flags.ts'

/** A reason not to start that the user can remove: one sentence, no stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
  /** The flags themselves are wrong, not the files, ports or servers that they name. */
  readonly isUsage: boolean

  constructor(message: string, options: ErrorOptions & { readonly isUsage?: boolean } = {}) {
    super(message, options)
    this.isUsage = options.isUsage ?? false
  }
}

/** Collects what is wrong, so that all of it can be reported at once. */
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

  /** Runs one step. Keeps the `StartError` that it throws, and then returns undefined. */
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

/** Turns what commonly goes wrong at a start into a `StartError`; anything else is returned as it is. */
export function explain(error: unknown, values: FlagValues, bindAddress: string): unknown {
  if (error instanceof StartError) return error
  const { code, name, message, syscall, path } = error as NodeJS.ErrnoException
  const at = `${bindAddress}:${values['secure-port']}`
  if (code === 'EADDRINUSE')
    return new StartError(`${at} is in use by another program; choose another --secure-port (0 is any free one)`, { cause: error })
  if (code === 'EACCES' && syscall === 'listen') {
    return new StartError(`listening on ${at} is not permitted; choose a --secure-port above 1023`, { cause: error })
  }
  if (code === 'EADDRNOTAVAIL') return new StartError(`--bind-address ${bindAddress} is not an address of this machine`, { cause: error })
  if (name === 'ConfigurationError') return new StartError(message, { cause: error })
  if (name === 'DamagedStoreError') return new StartError(`the store in ${values['data-dir']}: ${message}`, { cause: error })
  if (name === 'UnavailableError') return new StartError(`--etcd-servers: ${message}`, { cause: error })
  if (name === 'LockedError' || name === 'UnusableStoreError') return new StartError(message, { cause: error })
  // Any other failed system call on a file. Node's message names the code, the call and the path.
  if (typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) && typeof syscall === 'string' && (path !== undefined || code === 'ENOSPC')) {
    return new StartError(`the data directory ${values['data-dir']} cannot be used: ${message}`, { cause: error })
  }
  return error
}
