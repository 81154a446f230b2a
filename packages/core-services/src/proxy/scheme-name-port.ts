/** The target in the URL of a proxy request: "web", "web:8080" or "https:web:8443". */
export interface SchemeNamePort {
  readonly scheme: 'http' | 'https'
  readonly name: string
  /** Port number, or port name of a service; "" if omitted. */
  readonly port: string
}

/** Parses a target. Returns undefined if it is invalid. */
export function parseSchemeNamePort(id: string): SchemeNamePort | undefined {
  const segments = id.split(':')
  if (segments.length > 3) return undefined
  const [scheme, name, port] = segments.length === 3 ? segments : ['', ...segments, '']
  if (!name || (scheme !== '' && scheme !== 'http' && scheme !== 'https')) return undefined
  return { scheme: scheme || 'http', name, port: port ?? '' }
}
