/** Whether a sink still has somebody to read it, who waits for room, and who is told of the end. */
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

  /** There is room, or nothing to wait for any more. */
  readonly awake = (): void => {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** `listener` is called when the reader leaves; at once when it has. */
  onClose(listener: () => void): void {
    if (this.#closed) listener()
    else this.#listeners.push(listener)
  }

  /** A regular end is no news to the listeners. */
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
