import { fieldError, notNegativeMessage, parseQuantity, Quantity } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { getHugePageSize, isIntegerResource } from './resource-names.ts'

export type ResourceList = Readonly<Record<string, string>>

const milliExponent = -3

export function isFractional(quantity: Quantity): boolean {
  return quantity.exponent < 0 && quantity.milliValue() % 1000n !== 0n
}

export function validateResourceQuantity(name: string, quantity: Quantity, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if (quantity.sign() < 0) errors.push(fieldError.invalid(path, quantity.toString(), notNegativeMessage))
  if (isIntegerResource(name) && isFractional(quantity)) errors.push(fieldError.invalid(path, quantity.toString(), 'must be an integer'))
  return errors
}

export function validatePositiveQuantity(quantity: Quantity, path: FieldPath): FieldErrorList {
  return quantity.sign() > 0 ? [] : [fieldError.invalid(path, quantity.toString(), 'must be greater than zero')]
}

/**
 * Returns whether a quantity of huge pages is a multiple of the page size. Returns false if the page size is not an integer number of
 * bytes.
 */
export function isDivisibleHugePages(name: string, quantity: Quantity): boolean {
  try {
    const size = parseQuantity(getHugePageSize(name))
    return size.sign() > 0 && !isFractional(size) && quantity.value() % size.value() === 0n
  } catch {
    return false
  }
}

/** Rounds the quantities of a resource list up to thousandths. Mutates `list`. */
export function roundUpToMilli(list: Record<string, string> | null | undefined): void {
  if (list === null || list === undefined) return
  for (const name in list) {
    const text = list[name]!
    const quantity = parseQuantity(text)
    const { exponent, format } = quantity
    const rounded = (exponent < milliExponent ? new Quantity(quantity.milliValue(), milliExponent, format) : quantity).toString()
    // Assign changed values only. Most values are unchanged, and assignments to a large object are slow.
    if (rounded !== text) list[name] = rounded
  }
}
