/** The directory holds no store that this version can open, for a reason that is not damage. The message says what to do. */
export class UnusableStoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableStoreError'
  }
}
