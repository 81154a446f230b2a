import { namespace } from './case.ts'
import type { Step } from './case.ts'

const readOnlyMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'BOGUS', 'WATCH', 'COLLECT'])

/**
 * Prevents that a step changes objects of other users. Allowed are objects in the run's namespace, and cluster-scoped objects whose name
 * starts with the namespace. Changes other writes into dry runs. Throws if a write would have an effect even as a dry run.
 */
export function restrictToRun(step: Step): Step {
  if (isHarmless(step)) return step
  const [path, query] = step.path.split('?')
  const otherParameters = (query ?? '').split('&').filter((part) => part !== '' && !part.startsWith('dryRun='))
  const tried = { ...step, path: `${path}?${[...otherParameters, 'dryRun=All'].join('&')}` }
  if (!isHarmless(tried)) throw new Error(`${step.method} ${step.path} would change objects outside the run`)
  return tried
}

export function isHarmless({ method, path, body }: Step): boolean {
  if (readOnlyMethods.has(method)) return true
  const [address = '', query = ''] = path.split('?')
  const segments = address.split('/').slice(address.startsWith('/api/') ? 3 : 4)
  if (address.includes('..')) return false
  if (segments[0] === 'namespaces' && segments.length > 2) return segments[1] === namespace || segments[1]!.startsWith(`${namespace}-`)
  if (method !== 'POST' && segments.length < 2) return false
  if (segments.length >= 2) return segments[1]!.startsWith(`${namespace}-`)
  // A name that is not a string never counts as a name of the run.
  if (query.split('&').includes('dryRun=All')) return true
  const metadata = typeof body === 'object' && body !== null && !Array.isArray(body) ? body['metadata'] : undefined
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return false
  const name = metadata['name'] ?? metadata['generateName']
  return typeof name === 'string' && name.startsWith(`${namespace}-`)
}
