import type { NetworkDeviceData } from '@keelson/api/resource/v1'
import { measureUtf8Bytes, fieldError, quote } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { formatIP, parseCidr } from '@keelson/resources-core'
import { validateSet } from '../lists.ts'

const maxInterfaceName = 256
const maxHardwareAddress = 128
const maxAddresses = 16

export function validateNetworkData(data: DeepReadonly<NetworkDeviceData>, path: FieldPath): FieldErrorList {
  const { interfaceName = '', hardwareAddress = '', ips } = data
  const validateLength = (text: string, max: number, member: string): FieldErrorList =>
    measureUtf8Bytes(text) > max ? [fieldError.tooLong(path.child(member), max)] : []
  return [
    ...validateLength(interfaceName, maxInterfaceName, 'interfaceName'),
    ...validateLength(hardwareAddress, maxHardwareAddress, 'hardwareAddress'),
    ...validateSet(ips, { max: maxAddresses, rule: validateInterfaceAddress, key: (address) => address }, path.child('ips')),
  ]
}

/** Validates an address with a prefix length, in canonical form. */
function validateInterfaceAddress(text: string, path: FieldPath): FieldErrorList {
  const cidr = parseCidr(text)
  if (cidr === undefined) {
    return [fieldError.invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')]
  }
  const canonical = `${formatIP(cidr.address)}/${cidr.prefixLength}`
  return canonical === text ? [] : [fieldError.invalid(path, text, `must be in canonical form (${quote(canonical)})`)]
}
