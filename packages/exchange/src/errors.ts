/** The client closed the connection: nobody reads the response. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'

  constructor(message = 'the client closed the connection', options?: ErrorOptions) {
    super(message, options)
  }
}

/** The deadline of the request has passed. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError'
}

/** The response was started and could not be finished. The client only sees that the connection breaks. */
export class BrokenResponseError extends Error {
  override readonly name = 'BrokenResponseError'

  constructor(cause: unknown) {
    super('the response was broken off', { cause })
  }
}

/** Whether an error only says that the signal of a request aborted, which is no bug. Compares names, because a package can be loaded twice. */
export function isAbort(error: unknown): boolean {
  const name = (error as Error | undefined)?.name
  return name === 'ClientGoneError' || name === 'DeadlineExceededError'
}
