import { getErrorMessage, parseQuantity, Quantity } from '@keelson/apimachinery'
import { CelError, Double, noSuchOverload, OpaqueValue, toInt, createConversionError } from '../values/value.ts'
import type { Int, Value } from '../values/value.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementations } from './implementation.ts'

const notInteger = new CelError('cannot convert value to integer')

/** A quantity such as `1500m` or `2Gi`. */
export class QuantityValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Quantity'
  readonly quantity: Quantity
  /** Whether the quantity is the result of arithmetic. Comparing such a quantity as the right operand is an error in kube-apiserver. */
  readonly isComputed: boolean

  constructor(quantity: Quantity, isComputed = false) {
    super()
    this.quantity = quantity
    this.isComputed = isComputed
  }

  override reread(): CelError {
    return createConversionError('*resource.Quantity', this.toString())
  }

  equals(other: Value): boolean | CelError {
    if (other instanceof CelError) return other
    return other instanceof QuantityValue && !other.isComputed ? this.quantity.equals(other.quantity) : noSuchOverload
  }

  override toString(): string {
    return this.quantity.toString()
  }
}

function parse(text: string): QuantityValue | CelError {
  try {
    return new QuantityValue(parseQuantity(text))
  } catch (error) {
    return new CelError(getErrorMessage(error))
  }
}

/** Returns the value of a quantity that is a whole number within 64 bits; undefined for others. */
function toInteger({ quantity }: QuantityValue): Int | undefined {
  const { unscaled, exponent } = quantity
  if (exponent > 18) return unscaled === 0n ? 0 : undefined
  if (exponent < 0 && unscaled % 10n ** BigInt(-exponent) !== 0n) return undefined
  const value = quantity.value()
  return BigInt.asIntN(64, value) === value ? toInt(value) : undefined
}

function fromInt(value: Int): Quantity {
  return new Quantity(BigInt(value), 0, 'DecimalExponent')
}

function compare(a: QuantityValue, b: QuantityValue): number {
  return a.quantity.compare(b.quantity)
}

/** Quantity functions. */
export const quantities: Implementations = {
  is_quantity_string: adaptTypes((text: string) => !(parse(text) instanceof CelError)),
  quantity_add: adaptTypes((a: QuantityValue, b: QuantityValue) => new QuantityValue(a.quantity.add(b.quantity), true)),
  quantity_add_int: adaptTypes((a: QuantityValue, b: Int) => new QuantityValue(a.quantity.add(fromInt(b)), true)),
  quantity_compare_to: adaptTypes(compare),
  quantity_get_float: adaptTypes(({ quantity }: QuantityValue) => new Double(quantity.toNumber())),
  quantity_get_int: adaptTypes((value: QuantityValue) => toInteger(value) ?? notInteger),
  quantity_is_greater_than: adaptTypes((a: QuantityValue, b: QuantityValue) => compare(a, b) > 0),
  quantity_is_integer: adaptTypes((value: QuantityValue) => toInteger(value) !== undefined),
  quantity_is_less_than: adaptTypes((a: QuantityValue, b: QuantityValue) => compare(a, b) < 0),
  quantity_sign: adaptTypes(({ quantity }: QuantityValue) => quantity.sign()),
  quantity_sub: adaptTypes((a: QuantityValue, b: QuantityValue) => new QuantityValue(a.quantity.sub(b.quantity), true)),
  quantity_sub_int: adaptTypes((a: QuantityValue, b: Int) => new QuantityValue(a.quantity.sub(fromInt(b)), true)),
  string_to_quantity: adaptTypes(parse),
}
