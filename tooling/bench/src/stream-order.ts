const mark = Buffer.from('"resourceVersion":"')
const newline = 10

/** Checks the versions of the events on one watch stream: each must be newer than the previous one. */
export class StreamOrder {
  #rest: Buffer | undefined
  #last = 0
  count = 0
  /** Number of events that are not newer than the previous one. */
  disorder = 0

  push(piece: Buffer): void {
    let buffer = this.#rest === undefined ? piece : Buffer.concat([this.#rest, piece])
    for (let end = buffer.indexOf(newline); end >= 0; end = buffer.indexOf(newline)) {
      this.#event(buffer.subarray(0, end))
      buffer = buffer.subarray(end + 1)
    }
    // Copies the chunk, which belongs to the socket.
    this.#rest = buffer.length === 0 ? undefined : Buffer.from(buffer)
  }

  #event(line: Buffer): void {
    const at = line.indexOf(mark) + mark.length
    const version = Number(line.toString('latin1', at, line.indexOf('"', at)))
    this.count++
    // NaN, as in an error event, also counts as disorder.
    if (!(version > this.#last)) this.disorder++
    this.#last = version
  }
}
