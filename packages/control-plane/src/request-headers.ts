import { listRequestHeaderNames } from '@keelson/auth'
import type { IdentityHeaders, RequestHeaderOptions } from '@keelson/auth'
import { frontProxyName } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import type { FeatureGates } from './feature-gates.ts'
import type { AuthenticationOptions } from './options/authentication.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

/** Headers in which this server sends the user of a request when it forwards the request to another API server. */
const ownHeaders: RequestHeaderOptions = {
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
  allowedNames: [frontProxyName],
}

type FrontProxySettings = Pick<ServerChainOptions, 'authentication' | 'delegation'>

/** Returns true if the server generates its own CA for front proxies. */
export function usesOwnFrontProxy({ authentication: { frontProxy = {}, proxyClientFiles } = {}, delegation }: FrontProxySettings): boolean {
  return !hasAuthorities(frontProxy) && proxyClientFiles === undefined && delegation === undefined
}

/** Returns true if the CAs and headers of front proxies come from the API server to which this server delegates. */
export function mayLookUpFrontProxies({ authentication: { frontProxy = {} } = {}, delegation }: FrontProxySettings): boolean {
  return delegation !== undefined && !hasAuthorities(frontProxy)
}

/** Returns the configured headers in which front proxies send the user of a request. Returns undefined if no front proxy is configured. */
export function requestHeaders(options: FrontProxySettings, features: FeatureGates): RequestHeaderOptions | undefined {
  if (usesOwnFrontProxy(options)) return features.isEnabled('RemoteRequestHeaderUID') ? ownHeaders : { ...ownHeaders, uidHeaders: [] }
  const { frontProxy = {} } = options.authentication ?? {}
  return hasAuthorities(frontProxy) ? { usernameHeaders: [], ...frontProxy } : undefined
}

/** Returns a function that returns the names of the headers. The list is the same until the headers change. */
export function createIdentityHeaders(requestHeaders: () => RequestHeaderOptions | undefined): () => IdentityHeaders {
  const list = (headers: RequestHeaderOptions | undefined): IdentityHeaders =>
    headers === undefined ? [] : listRequestHeaderNames(headers)
  let current = requestHeaders()
  let names = list(current)
  return () => {
    const newest = requestHeaders()
    if (newest !== current) names = list((current = newest))
    return names
  }
}

function hasAuthorities({ authorities = [], authorityFile }: NonNullable<AuthenticationOptions['frontProxy']>): boolean {
  return authorities.length > 0 || authorityFile !== undefined
}

/** Lists a warning for each header that other API servers need but that is not configured. */
export function requestHeaderWarnings({ frontProxy = {} }: AuthenticationOptions): readonly string[] {
  const { usernameHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = frontProxy
  const needed = [
    ['requestheader-username-headers', usernameHeaders, 'X-Remote-User', 'header'],
    ['requestheader-group-headers', groupHeaders, 'X-Remote-Group', 'header'],
    ['requestheader-extra-headers-prefix', extraHeaderPrefixes, 'X-Remote-Extra-', 'header prefix'],
  ] as const
  return needed.flatMap(([flag, values, standard, what]) =>
    values.length > 0 && !values.some((value) => value.toLowerCase() === standard.toLowerCase())
      ? [`--${flag} is set without specifying the standard ${standard} ${what} - API aggregation will not work`]
      : [],
  )
}

/** Checks the options for front proxy headers. Throws `ConfigurationError` with all problems. */
export function checkRequestHeaders({ frontProxy = {} }: AuthenticationOptions, features: FeatureGates): void {
  const { usernameHeaders, groupHeaders, extraHeaderPrefixes, allowedNames, uidHeaders = [] } = frontProxy
  const readsUid = features.isEnabled('RemoteRequestHeaderUID')
  const lists = {
    'requestheader-username-headers': usernameHeaders,
    'requestheader-group-headers': groupHeaders,
    'requestheader-extra-headers-prefix': extraHeaderPrefixes,
    'requestheader-allowed-names': allowedNames,
    ...(readsUid && { 'requestheader-uid-headers': uidHeaders }),
  }
  const problems = Object.entries(lists).flatMap(([flag, values = []]) =>
    values.some((value) => value.trim() === '') ? [`empty value in ${JSON.stringify(flag)}`] : [],
  )
  if (uidHeaders.length > 0 && !readsUid) {
    problems.push('--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled')
  } else if (uidHeaders.length > 0 && !uidHeaders.some((header) => header.toLowerCase() === 'x-remote-uid')) {
    problems.push('--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work')
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
}
