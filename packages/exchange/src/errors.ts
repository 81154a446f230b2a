/** Thrown if the client has closed the connection. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'

  constructor(message = 'the client closed the connection', options?: ErrorOptions) {
    super(message, options)
  }
}

/** Thrown if the deadline of the request has passed. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError'
}

/** Thrown if a response started but could not be completed. The client only sees a broken connection. */
export class BrokenResponseError extends Error {
  override readonly name = 'BrokenResponseError'

  constructor(cause: unknown) {
    super('the response was aborted', { cause })
  }
}

/** Returns whether the error only reports an aborted signal, which is not a bug. Compares names, because a package can be loaded twice. */
export function isAbort(error: unknown): boolean {
  const name = (error as Error | undefined)?.name
  return name === 'ClientGoneError' || name === 'DeadlineExceededError'
}
