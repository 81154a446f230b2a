import { isQualifiedName, quote } from '@keelson/apimachinery'

const standardFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])
const advice = 'to avoid accidental conflicts with other finalizer writers'

/** Returns kube-apiserver's warnings about finalizers that a write adds to a custom object. */
export function warnOfFinalizers(finalizers: readonly string[] = [], old: readonly string[] = []): readonly string[] {
  const added = [...new Set(finalizers)].filter((finalizer) => !old.includes(finalizer)).sort()
  const warnings: string[] = []
  for (const finalizer of added) {
    const subject = `metadata.finalizers: ${quote(finalizer)}:`
    for (const message of isQualifiedName(finalizer)) warnings.push(`${subject} ${message}`)
    if (finalizer.includes('/') || standardFinalizers.has(finalizer)) continue
    const expected = finalizer.includes('.')
      ? 'a domain-qualified finalizer name including a path (/)'
      : 'a domain-qualified finalizer name'
    warnings.push(`${subject} prefer ${expected} ${advice}`)
  }
  return warnings
}
