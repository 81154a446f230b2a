/** This version cannot open the store in the directory, for another reason than damage. The message tells the operator what to do. */
export class UnusableStoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableStoreError'
  }
}
