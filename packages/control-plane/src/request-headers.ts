import type { RequestHeaderOptions } from '@keelson/auth'
import { frontProxyName } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import type { FeatureGates } from './feature-gates.ts'
import type { AuthenticationOptions } from './options/authentication.ts'

/** Headers in which this server sends the user of a request when it forwards the request to another API server. */
const ownHeaders: RequestHeaderOptions = {
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
  allowedNames: [frontProxyName],
}

/** Returns true if the server generates its own CA for front proxies. */
export function usesOwnFrontProxy({ frontProxy = {}, proxyClientFiles }: AuthenticationOptions = {}): boolean {
  return !hasAuthorities(frontProxy) && proxyClientFiles === undefined
}

/** Returns the headers in which front proxies send the user of a request. Returns undefined if no front proxy is trusted. */
export function requestHeaders(options: AuthenticationOptions, features: FeatureGates): RequestHeaderOptions | undefined {
  if (usesOwnFrontProxy(options)) return features.enabled('RemoteRequestHeaderUID') ? ownHeaders : { ...ownHeaders, uidHeaders: [] }
  const { frontProxy = {} } = options
  return hasAuthorities(frontProxy) ? { usernameHeaders: [], ...frontProxy } : undefined
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
  const readsUid = features.enabled('RemoteRequestHeaderUID')
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
