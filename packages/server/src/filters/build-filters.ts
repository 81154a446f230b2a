import type { Exchange, RequestAttributes, Route } from '@keelson/exchange'
import type { Authenticator, Authorizer, IdentityHeaders, ImpersonationOptions } from '@keelson/auth'
import type { AccessMetrics } from './authentication.ts'
import type { Lifecycle } from './wait-group.ts'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Auditor } from '@keelson/audit'
import type { RequestTracer } from '@keelson/tracing'
import { audit, openAudit } from './audit.ts'
import { setAuditId } from './audit-id.ts'
import { authenticate } from './authentication.ts'
import { authorize } from './authorization.ts'
import { cacheControl } from './cache-control.ts'
import { createCorsFilter } from './cors.ts'
import { limitFlow } from './flow-control.ts'
import type { FlowControl } from './flow-control.ts'
import { refuseWhileDraining } from './draining.ts'
import type { Filter, NamedFilter } from './filter.ts'
import { goAway } from './goaway.ts'
import { createHstsFilter } from './hsts.ts'
import { impersonate } from './impersonation.ts'
import { limitInFlight } from './in-flight.ts'
import type { InFlightLimits } from './in-flight.ts'
import { requestDeadline } from './request-deadline.ts'
import type { RequestDeadlines } from './request-deadline.ts'
import { logRequest } from './request-log.ts'
import type { RequestRecord } from './request-log.ts'
import { requestInfo } from './request-info.ts'
import { measureRequest } from './request-metrics.ts'
import { traceAuthentication, tracePhase, traceRequest } from './tracing.ts'
import { countRequest } from './wait-group.ts'

export interface FilterOptions {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Headers with user names, in addition to `X-Remote-*`. */
  readonly identityHeaders: () => IdentityHeaders
  readonly impersonation?: ImpersonationOptions
  /** Records requests for the audit log. Undefined: requests are not audited. */
  readonly auditor?: Pick<Auditor, 'open'> | undefined
  /** Records traces of requests. Undefined: requests are not traced. */
  readonly tracer?: RequestTracer | undefined
  readonly limits: InFlightLimits
  /** Priority and fairness. Undefined: `limits` are used instead. */
  readonly flowControl?: FlowControl | undefined
  readonly goAwayChance: number
  readonly corsAllowedOrigins: readonly RegExp[]
  readonly hstsDirectives: readonly string[]
  readonly lifecycle: Lifecycle
  /** Answers requests during shutdown with 429 instead of 503. */
  readonly sendRetryAfter: boolean
  readonly deadlines: RequestDeadlines
  readonly metrics: RequestMetrics
  readonly access: AccessMetrics
  /** Finds the route of a request before the request is authorized. */
  readonly findRoute: (attributes: RequestAttributes) => Route | undefined
  /** Called with the reason when the credentials of a request are rejected. */
  readonly onRejected?: ((reason: string, exchange: Exchange) => void) | undefined
  /** Called with the log record of every completed request. */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Returns whether requests are logged now. Default: they are if there is an `onRequest`. */
  readonly logsRequests?: (() => boolean) | undefined
}

/**
 * Returns the filters in the order in which a request passes them, as in kube-apiserver's `DefaultBuildHandlerChain`. One difference: the
 * request log comes before the request info, so that requests with a malformed URL are logged too.
 */
export function buildFilters(options: FilterOptions): readonly NamedFilter[] {
  const { authenticator, authorizer, auditor, lifecycle, metrics, access, tracer } = options
  const impersonationPhase = options.impersonation?.constrained === true ? 'constrainedimpersonation' : 'impersonation'
  return [
    { name: 'audit-id', filter: setAuditId },
    { name: 'audit-init', filter: openAudit(auditor) },
    { name: 'request-log', filter: logRequest(options.onRequest, options.logsRequests) },
    { name: 'request-info', filter: requestInfo(options.findRoute) },
    { name: 'draining', filter: refuseWhileDraining(lifecycle, options.sendRetryAfter) },
    { name: 'hsts', filter: createHstsFilter(options.hstsDirectives) },
    { name: 'cache-control', filter: cacheControl },
    { name: 'goaway', filter: goAway(options.goAwayChance) },
    { name: 'wait-group', filter: countRequest(lifecycle) },
    { name: 'request-deadline', filter: requestDeadline(options.deadlines, metrics) },
    { name: 'cors', filter: createCorsFilter(options.corsAllowedOrigins) },
    { name: 'authentication-trace', filter: traceAuthentication(tracer) },
    {
      name: 'authentication',
      filter: authenticate(authenticator, { access, metrics, identityHeaders: options.identityHeaders, onRejected: options.onRejected }),
    },
    { name: 'request-trace', filter: traceRequest(tracer) },
    { name: 'audit', filter: tracePhase(tracer, 'audit', audit(auditor)) },
    { name: 'impersonation', filter: tracePhase(tracer, impersonationPhase, impersonate(authorizer, options.impersonation)) },
    { name: 'in-flight', filter: createInFlightFilter(options) },
    { name: 'authorization', filter: tracePhase(tracer, 'authorization', authorize(authorizer, access)) },
    { name: 'request-metrics', filter: measureRequest(metrics) },
  ]
}

function createInFlightFilter({ flowControl, limits, metrics, deadlines, tracer }: FilterOptions): Filter | undefined {
  if (flowControl === undefined) return limitInFlight(limits, metrics)
  return tracePhase(tracer, 'priorityandfairness', limitFlow(flowControl, { metrics, requestTimeoutMs: deadlines.milliseconds }))
}
