import { fieldError, formatFieldError, newFieldPath, isQualifiedName, isValidLabelValue } from '@keelson/apimachinery'
import type { FieldPath } from '@keelson/apimachinery'

export type NodeLabels = ReadonlyMap<string, string>

/** Parses labels such as "env=test,disk=ssd". Throws if they are not a list of valid labels. */
export function parseNodeLabels(text: string): NodeLabels {
  const labels = new Map<string, string>()
  if (text === '') return labels
  for (const item of text.split(',')) {
    const keyAndValue = item.split('=')
    if (keyAndValue.length !== 2) throw new Error(`invalid selector: [${keyAndValue.join(' ')}]`)
    const [key, value] = keyAndValue.map((part) => part.trim()) as [string, string]
    check(undefined, key, isQualifiedName(key))
    check(newFieldPath().key(key), value, isValidLabelValue(value))
    labels.set(key, value)
  }
  return labels
}

function check(path: FieldPath | undefined, value: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(formatFieldError(fieldError.invalid(path, value, problems.join('; '))))
}
