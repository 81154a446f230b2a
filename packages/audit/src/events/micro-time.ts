import { formatMicroTime } from '@keelson/apimachinery'

/** Number of characters of a time. */
export const microTimeLength = 27
const fractionAt = 20

/** The second whose digits are known. Times that are written one after the other are mostly in the same second. */
let knownSecond = Number.NaN
const secondDigits = Buffer.alloc(fractionAt)

/** Writes a time in milliseconds since 1970 as ASCII, in the format of `formatMicroTime`. */
export function writeMicroTime(target: Uint8Array, at: number, milliseconds: number): void {
  const micros = Math.floor(milliseconds * 1000)
  const second = Math.floor(micros / 1e6)
  if (second !== knownSecond) {
    knownSecond = second
    secondDigits.write(formatMicroTime(second * 1000), 'latin1')
  }
  for (let i = 0; i < fractionAt; i++) target[at + i] = secondDigits[i]!
  let fraction = micros - second * 1e6
  for (let i = at + microTimeLength - 2; i >= at + fractionAt; i--) {
    const higher = Math.trunc(fraction / 10)
    target[i] = 0x30 + fraction - higher * 10
    fraction = higher
  }
  target[at + microTimeLength - 1] = 0x5a
}
