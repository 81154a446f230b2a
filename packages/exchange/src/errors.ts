/** Abort reason of a request whose client has closed the connection. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'

  constructor(message = 'the client closed the connection', options?: ErrorOptions) {
    super(message, options)
  }
}

/** Abort reason of a request whose deadline has passed. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError'
}

/** Thrown if a response could not be completed after it had started. The client sees only a broken connection. */
export class BrokenResponseError extends Error {
  override readonly name = 'BrokenResponseError'

  constructor(cause: unknown) {
    super('the response was aborted', { cause })
  }
}

/**
 * Returns whether the error only reports that a signal aborted, which is not a bug. Compares the name of the class, because two copies of this
 * package may be loaded.
 */
export function isAbort(error: unknown): boolean {
  const name = (error as Error | undefined)?.name
  return name === 'ClientGoneError' || name === 'DeadlineExceededError'
}
