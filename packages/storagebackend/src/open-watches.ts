/** The open watches of a storage, which end when the storage closes. */
export class OpenWatches {
  readonly #open = new Set<AbortController>()

  /** Adds a watch. Returns a signal that aborts when `signal` aborts or when `endAll` is called. */
  untilClosed(signal: AbortSignal): AbortSignal {
    const watch = new AbortController()
    const end = (): void => {
      this.#open.delete(watch)
      watch.abort()
    }
    this.#open.add(watch)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    return watch.signal
  }

  endAll(): void {
    for (const watch of this.#open) watch.abort()
    this.#open.clear()
  }
}
