import { formatMicroTime } from '@keelson/apimachinery'

/** Number of characters of a time. */
export const microTimeLength = 27
const fractionAt = 20

/**
 * The ASCII digits of a time in a line, in the format of `formatMicroTime`. A line is copied many times within a second, so the second is only
 * written when it changes.
 */
export class MicroTimeDigits {
  readonly #line: Buffer
  readonly #at: number
  #second = Number.NaN

  /** `line` has the digits of any time at position `at`. */
  constructor(line: Buffer, at: number) {
    this.#line = line
    this.#at = at
  }

  /** Sets the second of a time in milliseconds since 1970. Returns the microseconds after the second. */
  setSecond(milliseconds: number): number {
    const micros = Math.floor(milliseconds * 1000)
    const second = Math.floor(micros / 1e6)
    if (second !== this.#second) {
      this.#second = second
      this.#line.write(formatMicroTime(second * 1000), this.#at, fractionAt, 'latin1')
    }
    return micros - second * 1e6
  }

  /** Writes the microseconds after the second into a copy of the line at position `at`. */
  writeFraction(copy: Uint8Array, at: number, micros: number): void {
    let higher = micros
    const end = at + this.#at + fractionAt
    for (let i = end + 5; i >= end; i--) {
      const tenth = Math.trunc(higher / 10)
      copy[i] = 0x30 + higher - tenth * 10
      higher = tenth
    }
  }
}
