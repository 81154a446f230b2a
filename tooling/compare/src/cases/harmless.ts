import { namespace } from './case.ts'
import type { Step } from './case.ts'

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'BOGUS', 'WATCH', 'COLLECT'])

/**
 * The step, as a dry run if it would else write anywhere but in the run's namespace, or to an object whose name begins with the namespace's.
 * Throws for what no dry run makes harmless.
 */
export function harmless(step: Step): Step {
  if (isHarmless(step)) return step
  const [path, query] = step.path.split('?')
  const others = (query ?? '').split('&').filter((part) => part !== '' && !part.startsWith('dryRun='))
  const tried = { ...step, path: `${path}?${[...others, 'dryRun=All'].join('&')}` }
  if (!isHarmless(tried)) throw new Error(`${step.method} ${step.path} would touch what is not ours`)
  return tried
}

export function isHarmless({ method, path, body }: Step): boolean {
  if (reading.has(method)) return true
  const [address = '', query = ''] = path.split('?')
  const parts = address.split('/').slice(address.startsWith('/api/') ? 3 : 4)
  if (address.includes('..')) return false
  if (parts[0] === 'namespaces' && parts.length > 2) return parts[1] === namespace || parts[1]!.startsWith(`${namespace}-`)
  if (method !== 'POST' && parts.length < 2) return false
  if (parts.length >= 2) return parts[1]!.startsWith(`${namespace}-`)
  // A name that is no string names nothing.
  if (query.split('&').includes('dryRun=All')) return true
  const metadata = typeof body === 'object' && body !== null && !Array.isArray(body) ? body['metadata'] : undefined
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return false
  const name = metadata['name'] ?? metadata['generateName']
  return typeof name === 'string' && name.startsWith(`${namespace}-`)
}
