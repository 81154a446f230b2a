/** How etcd is to be reached cannot be: a file cannot be read, or is not what it should be. Waiting does not help. */
export class TransportError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TransportError'
  }
}
