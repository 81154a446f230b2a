import { declareStructs } from '../declarations/structs.ts'
import type { Range } from '../cost/range.ts'
import type { Environment } from '../environment.ts'
import { baseEnvironment, bindings } from '../libraries.ts'
import { createStructType } from '../types/type.ts'

const deviceType = 'kubernetes.DRADevice'
const maxDomain = 63n
const maxId = 32n
const maxDriver = 63n
const maxValue = 64n
const maxAttributes = 32n

/** The environment of device selectors. */
export const deviceEnvironment: Environment = baseEnvironment.extend({
  libraries: [bindings],
  structs: [
    declareStructs({
      [deviceType]: {
        driver: 'string',
        allowMultipleAllocations: 'bool',
        attributes: 'map<string, map<string, any>>',
        capacity: 'map<string, map<string, kubernetes.Quantity>>',
      },
    }),
  ],
  variables: { device: createStructType(deviceType) },
})

/** The maximum size of a value and its parts. */
interface Sized {
  readonly max: bigint
  readonly fields?: Readonly<Record<string, Sized>>
  readonly keys?: Sized
  readonly values?: Sized
}

const attributes: Sized = { max: maxAttributes, keys: { max: maxId }, values: { max: maxValue } }
const capacities: Sized = { max: maxAttributes, keys: { max: maxId }, values: { max: 0n } }
const device: Sized = {
  max: 0n,
  fields: {
    driver: { max: maxDriver },
    allowMultipleAllocations: { max: 1n },
    attributes: { max: maxAttributes, keys: { max: maxDomain }, values: attributes },
    capacity: { max: maxAttributes, keys: { max: maxDomain }, values: capacities },
  },
}

/** Returns the maximum size of a device's field, as limited by the API; undefined for other paths. */
export function getDeviceSize([variable, ...path]: readonly string[]): Range | undefined {
  let at: Sized | undefined = variable === 'device' ? device : undefined
  for (const name of path) {
    if (name === '@items' || name === '@values') at = at?.values
    else if (name === '@keys') at = at?.keys
    // Attributes can be selected by name as well as by index.
    else at = at === attributes ? attributes.values : at?.fields?.[name]
  }
  return at === undefined ? undefined : { min: 0n, max: at.max }
}
