/** State of the end of a sink: whether its reader disconnected, the waiting writer, and the listeners. */
export class SinkEnd {
  readonly #listeners: (() => void)[] = []
  #closed = false
  #wake: (() => void) | undefined

  get closed(): boolean {
    return this.#closed
  }

  /** Resolves at the next call of `awake`. */
  wait(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  /** Resumes the waiting writer, because there is room or the sink has ended. */
  readonly awake = (): void => {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** Calls `listener` when the reader disconnects; immediately if it already has. */
  onClose(listener: () => void): void {
    if (this.#closed) listener()
    else this.#listeners.push(listener)
  }

  /** Ends regularly, without calling the listeners. */
  finish(): void {
    this.#listeners.length = 0
    this.awake()
  }

  close(): void {
    this.#closed = true
    this.awake()
    for (const listener of this.#listeners.splice(0)) listener()
  }
}
