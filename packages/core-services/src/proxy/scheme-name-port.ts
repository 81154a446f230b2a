/** What a proxy's URL names: "web", "web:8080" or "https:web:8443". */
export interface SchemeNamePort {
  readonly scheme: 'http' | 'https'
  readonly name: string
  /** A number or, of services, a name; "" when it is left out. */
  readonly port: string
}

/** Undefined when it names nothing. */
export function splitSchemeNamePort(id: string): SchemeNamePort | undefined {
  const parts = id.split(':')
  if (parts.length > 3) return undefined
  const [scheme, name, port] = parts.length === 3 ? parts : ['', ...parts, '']
  if (!name || (scheme !== '' && scheme !== 'http' && scheme !== 'https')) return undefined
  return { scheme: scheme || 'http', name, port: port ?? '' }
}
