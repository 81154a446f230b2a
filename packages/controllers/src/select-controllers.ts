/** Short names of controllers. kube-controller-manager accepts them too. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['clusterrole-aggregation', 'clusterrole-aggregation-controller'],
  ['garbagecollector', 'garbage-collector-controller'],
  ['namespace', 'namespace-controller'],
  ['serviceaccount', 'serviceaccount-controller'],
  ['root-ca-cert-publisher', 'root-ca-certificate-publisher-controller'],
])

/**
 * Parses the flag `--controllers`: names, `-name` to exclude a controller, `*` for all, or `none`. Items are separated by commas or given
 * as a list. Throws an error for unknown names.
 */
export function selectControllers(selection: string | readonly string[], known: readonly string[]): ReadonlySet<string> {
  const words = (typeof selection === 'string' ? selection.split(',') : selection).map((word) => word.trim()).filter((word) => word !== '')
  if (words.includes('none')) {
    if (words.length > 1) throw new Error('"none" cannot be combined with other controllers')
    return new Set()
  }
  const on = new Set<string>()
  const off = new Set<string>()
  const unknown: string[] = []
  for (const word of words) {
    if (word === '*') continue
    const isOff = word.startsWith('-')
    const given = isOff ? word.slice(1) : word
    const name = aliases.get(given) ?? given
    if (!known.includes(name)) unknown.push(JSON.stringify(given))
    const target = isOff ? off : on
    target.add(name)
  }
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} is not in the list of known controllers: ${known.join(', ')}`)
  return new Set(known.filter((name) => on.has(name) || (words.includes('*') && !off.has(name))))
}
