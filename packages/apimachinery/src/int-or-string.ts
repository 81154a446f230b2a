/** An IntOrString of the API: a number, or a string that contains a percentage or the name of a port. */
export type IntOrString = number | string

export function isIntOrString(value: unknown): value is IntOrString {
  return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value))
}

/** Returns the integer value of an IntOrString: the number, or the string parsed like Go's Atoi. Returns 0 for a string that is not a number. */
export function parseIntValue(value: IntOrString): number {
  if (typeof value === 'number') return value
  return /^[+-]?[0-9]+$/.test(value) ? Number(value) : 0
}

export interface ScaledOptions {
  readonly roundUp: boolean
}

/** Returns the number, or the percentage of `total`. Throws with kube-apiserver's message for a string that is not a percentage. */
export function scaleIntOrString(value: IntOrString, total: number, options: ScaledOptions): number {
  if (typeof value === 'number') return value
  const digits = value.endsWith('%') ? value.slice(0, -1) : undefined
  if (digits === undefined) throw new Error('invalid value for IntOrString: invalid type: string is not a percentage')
  if (!/^[+-]?[0-9]+$/.test(digits))
    throw new Error(`invalid value for IntOrString: invalid value "${value}": strconv.Atoi: parsing "${digits}": invalid syntax`)
  const exact = (Number(digits) * total) / 100
  return options.roundUp ? Math.ceil(exact) : Math.floor(exact)
}

/** Returns the number of a percentage such as "25%"; undefined for other values. */
export function parsePercent(value: IntOrString): number | undefined {
  return typeof value === 'string' && /^[0-9]+%$/.test(value) ? Number(value.slice(0, -1)) : undefined
}
