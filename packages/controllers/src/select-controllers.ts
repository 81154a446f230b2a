/** Short names of controllers. kube-controller-manager accepts them too. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['clusterrole-aggregation', 'clusterrole-aggregation-controller'],
  ['garbagecollector', 'garbage-collector-controller'],
  ['namespace', 'namespace-controller'],
  ['serviceaccount', 'serviceaccount-controller'],
  ['validatingadmissionpolicy-status', 'validatingadmissionpolicy-status-controller'],
  ['root-ca-cert-publisher', 'root-ca-certificate-publisher-controller'],
])

/**
 * Parses the flag `--controllers`: names, `-name` to exclude a controller, `*` for all, or `none`. Items are separated by commas or given
 * as a list. Throws an error for unknown names.
 */
export function selectControllers(selection: string | readonly string[], knownNames: readonly string[]): ReadonlySet<string> {
  const entries = (typeof selection === 'string' ? selection.split(',') : selection)
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (entries.includes('none')) {
    if (entries.length > 1) throw new Error('"none" cannot be combined with other controllers')
    return new Set()
  }
  const enabled = new Set<string>()
  const disabled = new Set<string>()
  const unknown: string[] = []
  for (const entry of entries) {
    if (entry === '*') continue
    const isOff = entry.startsWith('-')
    const nameOrAlias = isOff ? entry.slice(1) : entry
    const name = aliases.get(nameOrAlias) ?? nameOrAlias
    if (!knownNames.includes(name)) unknown.push(JSON.stringify(nameOrAlias))
    const target = isOff ? disabled : enabled
    target.add(name)
  }
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} is not in the list of known controllers: ${knownNames.join(', ')}`)
  return new Set(knownNames.filter((name) => enabled.has(name) || (entries.includes('*') && !disabled.has(name))))
}
