import {
  hasMethods,
  isAnything,
  isBoolean,
  isFunction,
  isNumber,
  isOneOf,
  isRegExp,
  isString,
  listOf,
  objectOf,
  required,
} from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import type { NamedCertificate } from './certificates/serving-names.ts'
import type { ServerOptions } from './create-server.ts'
import type { PlacedFilter } from './filters/filter.ts'
import type { TlsSettings } from './tls-settings.ts'

type Part<Name extends keyof ServerOptions> = NonNullable<ServerOptions[Name]>

const count = isNumber({ integer: true })
const pair = { certificate: required(isString), key: required(isString) }

/** The options of `createServer` and their allowed values. */
export const optionTable: OptionTable<ServerOptions> = {
  authenticator: required(hasMethods('authenticate')),
  authorizer: required(hasMethods('authorize')),
  tls: required(
    objectOf<ServerOptions['tls']>({
      ...pair,
      named: listOf(objectOf<NamedCertificate>({ ...pair, names: listOf(isString) })),
      clientAuthorities: listOf(isString),
      frontProxyAuthorities: listOf(isString),
      settings: objectOf<TlsSettings>({ minVersion: isOneOf('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'), ciphers: isString }),
    }),
  ),
  identityHeaders: isFunction,
  constrainedImpersonation: isBoolean,
  limits: objectOf<Part<'limits'>>({ readOnly: required(count), mutating: required(count) }),
  corsAllowedOrigins: listOf(isRegExp),
  hstsDirectives: listOf(isString),
  shutdownSendRetryAfter: isBoolean,
  requestTimeoutMs: isNumber(),
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
  metrics: hasMethods('register', 'text', 'reset'),
  log: isFunction,
  logRequests: isBoolean,
  cbor: isAnything,
  zpages: objectOf<Part<'zpages'>>({ statusz: isBoolean, flagz: isFunction }),
  profiling: isBoolean,
  filters: listOf(objectOf<PlacedFilter>({ name: required(isString), filter: required(isFunction), before: isString, after: isString })),
}
