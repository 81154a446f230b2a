import type { RequestInfo } from '@keelson/apimachinery'

const verbs = new Set(['watch', 'proxy'])
const subresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

/** Requests that may last: no deadline, not counted against the in-flight limits, ended (not awaited) at shutdown. */
export function isLongRunning(info: RequestInfo): boolean {
  return verbs.has(info.verb) || (info.isResourceRequest ? subresources.has(info.subresource) : info.path.startsWith('/debug/pprof/'))
}
