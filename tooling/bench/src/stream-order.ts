const mark = Buffer.from('"resourceVersion":"')
const newline = 10

/** Checks the resource versions of the events on one watch stream. Each version must be higher than the previous one. */
export class StreamOrder {
  #rest: Buffer | undefined
  #last = 0
  count = 0
  /** Number of events whose version is not higher than the previous one. */
  disorder = 0

  push(piece: Buffer): void {
    let buffer = this.#rest === undefined ? piece : Buffer.concat([this.#rest, piece])
    for (let end = buffer.indexOf(newline); end >= 0; end = buffer.indexOf(newline)) {
      this.#event(buffer.subarray(0, end))
      buffer = buffer.subarray(end + 1)
    }
    // Copies the rest of the chunk, because the socket reuses the buffer.
    this.#rest = buffer.length === 0 ? undefined : Buffer.from(buffer)
  }

  #event(line: Buffer): void {
    const at = line.indexOf(mark) + mark.length
    const version = Number(line.toString('latin1', at, line.indexOf('"', at)))
    this.count++
    // The negated comparison is also true for NaN. An event without a version, such as an error, counts as disorder.
    if (!(version > this.#last)) this.disorder++
    this.#last = version
  }
}
