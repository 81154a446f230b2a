/** Thrown if the configuration of the connection to etcd is invalid: a file cannot be read or has invalid contents. Retries do not help. */
export class TransportError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TransportError'
  }
}
