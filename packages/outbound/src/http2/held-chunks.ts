/** Chunks below this size in bytes are copied if they have to wait. */
export const smallChunk = 1024
const joinedCapacity = 4096

/** Chunks of a body that wait for its reader. Small ones are joined, because a buffer for each takes a hundred bytes in addition to its content. */
export class HeldChunks {
  #chunks: Buffer[] = []
  /** Small chunks after those in `#chunks`. */
  #joined: Buffer | undefined
  #joinedSize = 0
  #size = 0

  /** Number of bytes. */
  get size(): number {
    return this.#size
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length
    // Most bodies are a single chunk, which is not copied.
    if (chunk.length >= smallChunk || (this.#chunks.length === 0 && this.#joined === undefined)) {
      this.#endJoined()
      this.#chunks.push(chunk)
      return
    }
    if (this.#joined === undefined || this.#joinedSize + chunk.length > this.#joined.length) {
      this.#endJoined()
      this.#joined = Buffer.allocUnsafe(joinedCapacity)
    }
    this.#joined.set(chunk, this.#joinedSize)
    this.#joinedSize += chunk.length
  }

  /** Removes and returns the chunks. */
  take(): Buffer[] {
    this.#endJoined()
    this.#size = 0
    const chunks = this.#chunks
    if (chunks.length > 0) this.#chunks = []
    return chunks
  }

  #endJoined(): void {
    if (this.#joined === undefined) return
    this.#chunks.push(this.#joined.subarray(0, this.#joinedSize))
    this.#joined = undefined
    this.#joinedSize = 0
  }
}
