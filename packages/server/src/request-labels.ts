import type { RequestInfo } from '@keelson/apimachinery'
import type { QueryParameters } from '@keelson/exchange'

const connectSubresources = new Set(['log', 'exec', 'portforward', 'attach', 'proxy'])
const reportedVerbs: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
}

const reportedMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT'])
export const component = 'apiserver'
const healthPaths = new Set(['/healthz', '/livez', '/readyz'])

/** Whether the metrics count a request. */
export function isObserved(info: RequestInfo): boolean {
  return info.isResourceRequest || healthPaths.has(info.path)
}

export interface ObservedRequest {
  readonly info: RequestInfo
  readonly method: string
  readonly query: QueryParameters
  readonly contentType: string | undefined
}

/** The labels of request metrics. */
export interface RequestLabels extends Readonly<Record<string, string>> {
  readonly verb: string
  readonly dry_run: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly scope: string
  readonly component: string
}

export function labelsOf(request: ObservedRequest): RequestLabels {
  const { info } = request
  if (!info.isResourceRequest) {
    return {
      verb: methodOf(request),
      dry_run: '',
      group: '',
      version: '',
      resource: '',
      subresource: info.path,
      scope: '',
      // kube-apiserver's health endpoints have none.
      component: healthPaths.has(info.path) ? '' : component,
    }
  }
  return {
    verb: verbOf(request),
    dry_run: dryRunOf(request.query),
    group: info.apiGroup,
    version: info.apiVersion,
    resource: info.resource,
    subresource: info.subresource,
    scope: scopeOf(info),
    component,
  }
}

function methodOf({ method }: ObservedRequest): string {
  if (method === 'HEAD') return 'GET'
  return reportedMethods.has(method) ? method : 'other'
}

function verbOf({ info, contentType }: ObservedRequest): string {
  if (connectSubresources.has(info.subresource)) return 'CONNECT'
  if (info.verb === 'patch' && contentType?.startsWith('application/apply-patch+')) return 'APPLY'
  return reportedVerbs[info.verb] ?? 'other'
}

function scopeOf(info: RequestInfo): string {
  if (info.name !== '' || info.verb === 'create') return 'resource'
  return info.namespace === '' ? 'cluster' : 'namespace'
}

function dryRunOf(query: QueryParameters): string {
  if (!query.has('dryRun')) return ''
  const values = new Set(query.getAll('dryRun'))
  for (const value of values) if (value !== 'All') return 'invalid'
  return [...values].join(',')
}

export function sameLabels(a: RequestLabels, b: RequestLabels): boolean {
  return (
    a.verb === b.verb &&
    a.resource === b.resource &&
    a.subresource === b.subresource &&
    a.scope === b.scope &&
    a.version === b.version &&
    a.group === b.group &&
    a.dry_run === b.dry_run
  )
}

export function nameOf(labels: Readonly<Record<string, string>>): string {
  const { verb, dry_run: dryRun = '', group, version, resource, subresource, scope } = labels
  return `${verb} ${dryRun} ${group}/${version}/${resource}/${subresource} ${scope}`
}
