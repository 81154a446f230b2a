import { createPublicKey } from 'node:crypto'
import { getErrorMessage, systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { buildTokenPayload } from '../service-account-tokens/claims.ts'
import type { TokenIssuer } from '../service-account-tokens/token-issuer.ts'
import { createVerificationKey } from '../service-account-tokens/token-keys.ts'
import type { VerificationKey } from '../service-account-tokens/token-keys.ts'
import type { SignerClient } from './signer-client.ts'
import type { FetchKeysResponse, SignResponse } from './signer-messages.ts'
import type { SignerMetrics } from './signer-metrics.ts'

/** Pause after a failed request for keys, in milliseconds. */
const retryMs = 10_000
const maxKeyIdLength = 1024
/** The shortest lifetime of tokens that kube-apiserver issues. */
const minTokenSeconds = 600
const algorithms: ReadonlySet<unknown> = new Set(['RS256', 'ES256', 'ES384', 'ES512'])

export interface ExternalSignerOptions {
  readonly client: SignerClient
  /** The `iss` claim of every token. */
  readonly issuer: string
  readonly clock?: Clock
  readonly metrics?: SignerMetrics
  /** Called when the keys cannot be refreshed; the previous ones stay in use. */
  readonly onError?: (error: unknown) => void
}

/** A token issuer that signs by a gRPC call to another process and fetches the public keys from that process. */
export interface ExternalSigner extends TokenIssuer {
  /** Returns the keys with the given id, or all keys for "". Fetches the keys again if the id is unknown. */
  getKeys(id: string): readonly VerificationKey[] | Promise<readonly VerificationKey[]>
  /** Keys of the OpenID discovery document. */
  readonly publishedKeys: readonly VerificationKey[]
  /** How long clients may cache the published keys, in seconds. */
  readonly maxAgeSeconds: number
  /** The longest lifetime of a token, in seconds. */
  readonly maxTokenSeconds: number
  close(): void
}

/**
 * Creates a client of the signer at a Unix socket: `/path`, or `@name` for an abstract socket. Imports gRPC only when it is called, because
 * few servers need it.
 */
export async function connectSigner(socket: string): Promise<SignerClient> {
  const { createSignerClient } = await import('./signer-client.ts')
  return createSignerClient(socket)
}

interface SignerKeys {
  readonly keys: readonly (VerificationKey & { readonly isPublished: boolean })[]
  /** Time of the next refresh, in milliseconds since the epoch. */
  readonly refreshAt: number
}

/** Opens an external signer. Resolves after its keys and limits are fetched. Rejects if they are not usable. */
export async function openExternalSigner(options: ExternalSignerOptions): Promise<ExternalSigner> {
  const { client, issuer, clock = systemClock, metrics, onError = () => {} } = options

  async function measureCall<T>(method: string, run: () => Promise<T>): Promise<T> {
    const started = performance.now()
    const recordCall = (code: string): void => metrics?.recordCall(method, code, (performance.now() - started) / 1000)
    try {
      const answer = await run()
      recordCall('OK')
      return answer
    } catch (error) {
      recordCall(findCode(error))
      throw error
    }
  }

  let keys: SignerKeys
  let refreshing: Promise<void> | undefined
  async function refresh(): Promise<void> {
    let code = 'OK'
    try {
      const answer = await measureCall('FetchKeys', () => client.fetchKeys())
      keys = readKeys(answer, clock.now())
      metrics?.setKeysTimestamp(toMilliseconds(answer))
    } catch (error) {
      code = findCode(error)
      throw new Error(`while fetching token verification keys: ${getErrorMessage(error)}`, { cause: error })
    } finally {
      metrics?.recordFetch(code, clock.now())
      refreshing = undefined
    }
  }
  const refreshOnce = (): Promise<void> => (refreshing ??= refresh())

  let cancel: () => void = () => {}
  let isClosed = false
  function schedule(milliseconds: number): void {
    if (isClosed) return
    cancel = clock.after(Math.max(0, milliseconds), () => {
      refreshOnce().then(
        () => schedule(keys.refreshAt - clock.now()),
        (error: unknown) => {
          onError(error)
          schedule(retryMs)
        },
      )
    })
  }

  const find = (id: string): readonly VerificationKey[] => (id === '' ? keys.keys : keys.keys.filter((key) => key.id === id))

  async function issue(payload: object): Promise<string> {
    const claims = Buffer.from(JSON.stringify(payload)).toString('base64url')
    const answer = await measureCall('Sign', () => client.sign(claims)).catch((error: unknown) => {
      throw new Error(`while signing jwt: ${getErrorMessage(error)}`, { cause: error })
    })
    const keyId = readHeader(answer)
    if (keys.keys.some(({ id, isPublished }) => id === keyId && !isPublished)) {
      throw new Error(`while validating header: key used for signing JWT (kid: ${keyId}) is excluded from OIDC discovery docs`)
    }
    if (answer.signature === '') throw new Error('empty signature returned')
    return `${answer.header}.${claims}.${answer.signature}`
  }

  try {
    await refreshOnce()
    const { maxTokenExpirationSeconds: maxTokenSeconds } = await measureCall('Metadata', () => client.fetchMetadata())
    if (maxTokenSeconds < minTokenSeconds) {
      const limits = `(${maxTokenSeconds}s) is less than acceptable (min ${minTokenSeconds}s)`
      throw new Error(`max token life supported by external-jwt-signer ${limits}`)
    }
    schedule(keys!.refreshAt - clock.now())
    return {
      maxTokenSeconds,
      getKeys: (id) => {
        const matchingKeys = find(id)
        if (matchingKeys.length > 0) return matchingKeys
        return refreshOnce().then(
          () => find(id),
          (error: unknown) => {
            onError(error)
            return []
          },
        )
      },
      get publishedKeys() {
        return keys.keys.filter(({ isPublished }) => isPublished)
      },
      get maxAgeSeconds() {
        return Math.max(0, Math.floor((keys.refreshAt - clock.now()) / 1000))
      },
      issue: async (claims) => {
        let code = 'OK'
        try {
          return await issue(buildTokenPayload(claims, issuer, clock.now()))
        } catch (error) {
          code = findCode(error)
          throw error
        } finally {
          metrics?.countSignature(code)
        }
      },
      close: () => {
        isClosed = true
        cancel()
        client.close()
      },
    }
  } catch (error) {
    client.close()
    throw error
  }
}

/** Returns the gRPC code of a failed call; "unknown-non-grpc" for other errors. */
function findCode(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current.name === 'SignerCallError') return String((current as Error & { code?: unknown }).code)
  }
  return 'unknown-non-grpc'
}

function readKeys({ keys, dataTimestamp, refreshHintSeconds }: FetchKeysResponse, now: number): SignerKeys {
  if (refreshHintSeconds <= 0) throw new Error(`found invalid refresh hint (${refreshHintSeconds}s)`)
  if (keys.length === 0) throw new Error('found no keys')
  if (dataTimestamp === null) throw new Error('invalid data timestamp: proto: invalid nil Timestamp')
  const verificationKeys = keys.map(({ keyId, key, excludeFromOidcDiscovery }) => {
    if (keyId === '' || Buffer.byteLength(keyId) > maxKeyIdLength) throw new Error(`found invalid public key id ${JSON.stringify(keyId)}`)
    if (key.length === 0) throw new Error('found empty public key')
    try {
      const publicKey = createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' })
      return { ...createVerificationKey(publicKey), id: keyId, isPublished: !excludeFromOidcDiscovery }
    } catch (error) {
      throw new Error(`while parsing external public keys: ${getErrorMessage(error)}`, { cause: error })
    }
  })
  // JavaScript timers overflow after 24 days.
  return { keys: verificationKeys, refreshAt: now + Math.min(refreshHintSeconds, 86_400 * 24) * 1000 }
}

function toMilliseconds({ dataTimestamp }: FetchKeysResponse): number {
  return dataTimestamp === null ? 0 : dataTimestamp.seconds * 1000 + dataTimestamp.nanos / 1e6
}

/** Returns the key id in a JWT header from the signer. Throws if the header is not valid for a service account token. */
function readHeader({ header }: SignResponse): string {
  const createInvalidError = (reason: string): Error => new Error(`while validating header: ${reason}`)
  if (!/^[\w-]*$/.test(header)) throw createInvalidError('while unwrapping header: illegal base64 data')
  let members: Readonly<Record<string, unknown>>
  try {
    members = JSON.parse(Buffer.from(header, 'base64url').toString()) as Readonly<Record<string, unknown>>
  } catch (error) {
    throw createInvalidError(`while parsing header JSON: ${getErrorMessage(error)}`)
  }
  const { alg, kid, typ, ...others } = members
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw createInvalidError(`while parsing header JSON: json: unknown field ${JSON.stringify(unknown)}`)
  if (typ !== 'JWT') throw createInvalidError('bad type')
  if (typeof kid !== 'string' || kid === '') throw createInvalidError('key id missing')
  if (Buffer.byteLength(kid) > maxKeyIdLength) throw createInvalidError('key id longer than 1 kb')
  if (!algorithms.has(alg)) throw createInvalidError(`bad signing algorithm ${JSON.stringify(alg ?? '')}`)
  return kid
}
