import {
  hasMethods,
  isAnything,
  isBoolean,
  isFunction,
  isNumber,
  isOneOf,
  isRegExp,
  isString,
  isListOf,
  isObjectOf,
  requireOption,
} from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import type { NamedCertificate } from './certificates/serving-names.ts'
import type { ServerOptions } from './create-server.ts'
import type { PlacedFilter } from './filters/filter.ts'
import type { TlsSettings } from './tls-settings.ts'

type Part<Name extends keyof ServerOptions> = NonNullable<ServerOptions[Name]>

const count = isNumber({ integer: true })
const pair = { certificate: requireOption(isString), key: requireOption(isString) }

/** The options of `createServer` and their allowed values. */
export const optionTable: OptionTable<ServerOptions> = {
  auditor: hasMethods('open'),
  authenticator: requireOption(hasMethods('authenticate')),
  authorizer: requireOption(hasMethods('authorize')),
  tls: requireOption(
    isObjectOf<ServerOptions['tls']>({
      ...pair,
      named: isListOf(isObjectOf<NamedCertificate>({ ...pair, names: isListOf(isString) })),
      clientAuthorities: isListOf(isString),
      frontProxyAuthorities: isListOf(isString),
      settings: isObjectOf<TlsSettings>({ minVersion: isOneOf('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'), ciphers: isString }),
    }),
  ),
  identityHeaders: isFunction,
  constrainedImpersonation: isBoolean,
  limits: isObjectOf<Part<'limits'>>({ readOnly: requireOption(count), mutating: requireOption(count) }),
  flowControl: hasMethods('classify', 'start', 'countRejected', 'dump'),
  corsAllowedOrigins: isListOf(isRegExp),
  hstsDirectives: isListOf(isString),
  shutdownSendRetryAfter: isBoolean,
  shutdownWatchGraceMs: isNumber(),
  requestTimeoutMs: isNumber(),
  livezGraceMs: isNumber(),
  maxConnections: count,
  stallMs: isNumber(),
  maxUnreadBytes: isNumber(),
  maxBodyBytes: isNumber(),
  http2: isBoolean,
  unref: isBoolean,
  now: isFunction,
  requestNow: isFunction,
  maxStreamsPerConnection: count,
  goAwayChance: isNumber({ max: 1 }),
  version: isAnything,
  metrics: hasMethods('register', 'collect', 'reset'),
  log: isFunction,
  logRequests: (value, path) => (typeof value === 'function' ? [] : isBoolean(value, path)),
  cbor: isAnything,
  zpages: isObjectOf<Part<'zpages'>>({ statusz: isBoolean, flagz: isFunction }),
  profiling: isBoolean,
  setVerbosity: isFunction,
  tracer: hasMethods('start', 'receive', 'shutdown'),
  filters: isListOf(
    isObjectOf<PlacedFilter>({ name: requireOption(isString), filter: requireOption(isFunction), before: isString, after: isString }),
  ),
}
