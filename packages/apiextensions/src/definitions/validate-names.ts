import type { CustomResourceDefinitionNames } from '@keelson/api/apiextensions/v1'
import { fieldError, isDNS1035Label } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'

/** Validates the names of a resource. Absent names are valid. */
export function validateNames(names: DeepReadonly<CustomResourceDefinitionNames>, path: FieldPath): FieldErrorList {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names
  const errors: FieldErrorList = []
  const check = (at: FieldPath, name: string, { checked = name, rule = '' } = {}): void => {
    const messages = isDNS1035Label(checked)
    if (messages.length > 0) errors.push(fieldError.invalid(at, name, rule + messages.join(',')))
  }
  const mixedCase = 'may have mixed case, but should otherwise match: '
  if (plural !== '') check(path.child('plural'), plural)
  if (singular !== '') check(path.child('singular'), singular)
  if (kind !== '') check(path.child('kind'), kind, { checked: kind.toLowerCase(), rule: mixedCase })
  if (listKind !== '') check(path.child('listKind'), listKind, { checked: listKind.toLowerCase(), rule: mixedCase })
  for (const [i, name] of shortNames.entries()) check(path.child('shortNames').index(i), name)
  if (kind !== '' && kind === listKind) {
    errors.push(fieldError.invalid(path.child('listKind'), listKind, 'kind and listKind may not be the same'))
  }
  for (const [i, name] of categories.entries()) check(path.child('categories').index(i), name)
  return errors
}
