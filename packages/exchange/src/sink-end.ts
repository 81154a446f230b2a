/** The end of a sink: whether its reader has left, the writer that waits for room, and the listeners for the end. */
export class SinkEnd {
  readonly #listeners: (() => void)[] = []
  #closed = false
  #wake: (() => void) | undefined

  get closed(): boolean {
    return this.#closed
  }

  /** Resolves with the next `awake`. */
  wait(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  /** Wakes the waiting writer: there is room, or nothing to wait for any more. */
  readonly awake = (): void => {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** Calls `listener` when the reader leaves, at once if it has left. */
  onClose(listener: () => void): void {
    if (this.#closed) listener()
    else this.#listeners.push(listener)
  }

  /** A regular end: the listeners are not called. */
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
