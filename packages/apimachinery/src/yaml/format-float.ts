/**
 * Formats a number like Go's strconv.FormatFloat(value, 'g', -1, 64 or 32): with as few digits as possible, and with an exponent below 1e-4 and
 * from 1e6.
 */
export function formatFloat(value: number, options: { readonly single?: boolean } = {}): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa, exponentText] = formatShortest(value, options.single === true).split('e') as [string, string]
  const exponent = Number(exponentText)
  const negative = mantissa.startsWith('-')
  const digits = mantissa.replace(/[-.]/g, '')
  const sign = negative ? '-' : ''
  if (exponent < -4 || exponent >= 6) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  if (digits.length <= exponent + 1) return sign + digits.padEnd(exponent + 1, '0')
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`
}

function formatShortest(value: number, single: boolean): string {
  if (!single) return value.toExponential()
  const rounded = Math.fround(value)
  for (let digits = 0; digits < 9; digits++) {
    const text = rounded.toExponential(digits)
    if (Math.fround(Number(text)) === rounded) return text
  }
  return rounded.toExponential()
}
