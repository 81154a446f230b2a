import type { FlagValues } from './flags.ts'

/** A reason not to start that is the user's to mend: one sentence, no stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
  /** The flags themselves are wrong, not what they point at. */
  readonly isUsage: boolean

  constructor(message: string, options: ErrorOptions & { readonly isUsage?: boolean } = {}) {
    super(message, options)
    this.isUsage = options.isUsage ?? false
  }
}

/** Recognises what commonly goes wrong at a start; anything else is returned as it is. */
export function explain(error: unknown, values: FlagValues): unknown {
  if (error instanceof StartError) return error
  const { code, name, message, syscall } = error as NodeJS.ErrnoException
  const at = `${values['bind-address']}:${values['secure-port']}`
  if (code === 'EADDRINUSE')
    return new StartError(`${at} is in use by another program; choose another --secure-port (0 is any free one)`, { cause: error })
  if (code === 'EACCES' && syscall === 'listen') {
    return new StartError(`listening on ${at} is not permitted; choose a --secure-port above 1023`, { cause: error })
  }
  if (code === 'EADDRNOTAVAIL')
    return new StartError(`--bind-address ${values['bind-address']} is not an address of this machine`, { cause: error })
  if (name === 'ConfigurationError') return new StartError(message, { cause: error })
  if (name === 'DamagedStoreError') return new StartError(`the store in ${values['data-dir']}: ${message}`, { cause: error })
  if (name === 'UnavailableError') return new StartError(`--etcd-servers: ${message}`, { cause: error })
  if (name === 'LockedError') return new StartError(message, { cause: error })
  if (
    code === 'EACCES' ||
    code === 'EROFS' ||
    code === 'ENOTDIR' ||
    code === 'EEXIST' ||
    code === 'ENOSPC' ||
    (code === 'ENOENT' && syscall === 'mkdir')
  ) {
    return new StartError(`the data directory ${values['data-dir']} cannot be used: ${message}`, { cause: error })
  }
  return error
}
