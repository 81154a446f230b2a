/** Thrown if the configuration of the connection to etcd is invalid, for example if a TLS file cannot be read. A retry cannot succeed. */
export class TransportError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TransportError'
  }
}
