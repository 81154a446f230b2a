import { readFile } from 'node:fs/promises'
import type { Secret, ServiceAccount } from '@keelson/api/core/v1'
import { getErrorMessage, newInternal, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import {
  connectSigner,
  createLegacyTokenAuthenticator,
  createServiceAccountAuthenticator,
  createSignerMetrics,
  createTokenIssuer,
  createTokenVerifier,
  openExternalSigner,
  buildOpenIdDocuments,
  readSigningKey,
  readVerificationKeys,
} from '@keelson/auth'
import type { BoundObject, ExternalSigner, OpenIdDocuments, TokenAuthenticator, TokenMetrics, VerificationKey } from '@keelson/auth'
import type { LoopbackClient } from '@keelson/loopback'
import type { TokenSubresourceOptions } from '@keelson/resources-core'
import { openOwnTokenKey } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import { authenticationDefaults } from './options/authentication.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

export interface ServiceAccountTokens {
  /** Authenticators of legacy tokens in secrets and of issued tokens. */
  readonly authenticators: readonly TokenAuthenticator[]
  /** Options of the `serviceaccounts/token` subresource, which issues tokens. */
  readonly subresource: TokenSubresourceOptions
  /** Returns the OpenID documents for `serverAddress` (host and port). Throws if the issuer cannot be published. */
  createDocuments(serverAddress: string): PublishedDocuments
  /** Sets the client for reading the objects that tokens are bound to. Tokens are rejected until it is set. */
  readFrom(client: LoopbackClient): void
  close(): void
}

export interface PublishedDocuments extends OpenIdDocuments {
  /** Cache lifetime of the documents. A new key must be published for this long before it signs tokens. */
  readonly maxAgeSeconds: number
}

/** Signs tokens and has the public keys for verifying them. */
interface Signing extends Pick<ExternalSigner, 'issue' | 'getKeys' | 'publishedKeys' | 'maxAgeSeconds' | 'close'> {
  /** Maximum lifetime of tokens in seconds. Undefined means no limit. */
  readonly maxTokenSeconds: number | undefined
}

export async function buildServiceAccountTokens(
  options: ServerChainOptions,
  { metrics, registry }: { readonly metrics: TokenMetrics; readonly registry: MetricsRegistry },
): Promise<ServiceAccountTokens> {
  const { authentication = {}, clock = systemClock, log } = options
  const serviceAccounts = { ...authenticationDefaults.serviceAccounts, ...authentication.serviceAccounts }
  const { issuers, keySetUri, maxTokenExpirationSeconds } = serviceAccounts
  const audiences = serviceAccounts.audiences ?? issuers
  const signing = await (serviceAccounts.signingEndpoint === undefined
    ? openOwnKeys(options)
    : openSigner(options, { endpoint: serviceAccounts.signingEndpoint, registry }))
  const { maxTokenSeconds } = signing
  let client: LoopbackClient | undefined

  const read = async <T extends KubeObject>(resource: string, [namespace, name]: readonly [string, string], resourceVersion: string) =>
    client?.resource<T>({ group: '', resource })?.get(namespace, name, { resourceVersion })
  const readLive = (resource: string, namespace: string, name: string): Promise<DeepReadonly<KubeObject> | undefined> =>
    read(resource, [namespace, name], '')
  /**
   * Reads an object from the watch cache, and from the store if it is missing there, because the cache may not have just-created objects
   * yet.
   */
  const readIncludingNew = async <T extends KubeObject>(resource: string, namespace: string, name: string) =>
    (await read<T>(resource, [namespace, name], '0')) ?? read<T>(resource, [namespace, name], '')
  const verifier = createTokenVerifier({ keys: (id) => signing.getKeys(id), metrics })

  return {
    authenticators: [
      createLegacyTokenAuthenticator({
        verifier,
        audiences,
        clock,
        metrics,
        objects: serviceAccounts.lookUpLegacyTokens
          ? {
              getSecret: (namespace, name) => readIncludingNew<Secret>('secrets', namespace, name),
              getServiceAccount: (namespace, name) => readIncludingNew<ServiceAccount>('serviceaccounts', namespace, name),
              label: async (secret, label, value) => labelSecret(client, secret, { [label]: value }),
            }
          : undefined,
        onError: (error) => log?.(0, 'The secret of a service account token cannot be labelled', { err: error }),
      }),
      createServiceAccountAuthenticator({
        verifier,
        issuers,
        clock,
        metrics,
        audiences,
        getter: async (...key) => toBoundObject(await readIncludingNew(...key)),
      }),
    ],
    subresource: {
      issue: (claims) => signing.issue(claims),
      audiences,
      ...((maxTokenExpirationSeconds ?? maxTokenSeconds) !== undefined && {
        maxExpirationSeconds: maxTokenExpirationSeconds ?? maxTokenSeconds!,
      }),
      ...(maxTokenSeconds !== undefined && { maxExtendedExpirationSeconds: maxTokenSeconds }),
      extendExpiration: serviceAccounts.extendTokenExpiration,
      lookUp: readLive,
    },
    createDocuments: (serverAddress) => ({
      ...buildOpenIdDocuments(issuers[0]!, keySetUri ?? `https://${serverAddress}/openid/v1/jwks`, signing.publishedKeys),
      maxAgeSeconds: signing.maxAgeSeconds,
    }),
    readFrom: (reader) => {
      client = reader
    },
    close: () => signing.close(),
  }
}

/** Reads the signing key and the verification keys from files. Without files, generates a key. */
async function openOwnKeys({ authentication = {}, serving = {}, clock = systemClock, log }: ServerChainOptions): Promise<Signing> {
  const { issuers, keyFiles = [], signingKeyFile } = { ...authenticationDefaults.serviceAccounts, ...authentication.serviceAccounts }
  const onMade = (file: string): void => log?.(0, 'Made a key for service account tokens', { file })
  const signingPem =
    signingKeyFile === undefined
      ? await openOwnTokenKey(serving.certificates?.directory ?? serving.certificates?.store, onMade)
      : await readKeys(signingKeyFile, (pem) => pem)
  const key = await wrapKeyError(signingKeyFile ?? 'generated', () => readSigningKey(signingPem))
  const files = await Promise.all(keyFiles.map((file) => readKeys(file, readVerificationKeys)))
  const keys: readonly VerificationKey[] = keyFiles.length > 0 ? files.flat() : [key]
  return {
    ...createTokenIssuer({ issuer: issuers[0]!, key, clock }),
    getKeys: (id) => (id === '' ? keys : keys.filter((each) => each.id === id)),
    publishedKeys: keys,
    maxAgeSeconds: 3600,
    maxTokenSeconds: undefined,
    close: () => {},
  }
}

/** Connects to an external signer in another process. Throws `ConfigurationError` if the signer cannot be used. */
async function openSigner(
  { authentication = {}, clock = systemClock, log }: ServerChainOptions,
  { endpoint, registry }: { readonly endpoint: string; readonly registry: MetricsRegistry },
): Promise<Signing> {
  const { issuers, maxTokenExpirationSeconds = 0 } = { ...authenticationDefaults.serviceAccounts, ...authentication.serviceAccounts }
  const signer = await connectSigner(endpoint)
    .then((client) =>
      openExternalSigner({
        client,
        issuer: issuers[0]!,
        clock,
        metrics: createSignerMetrics(registry),
        onError: (error) => log?.(0, 'The keys of the external signer cannot be refreshed; the previous ones stay in use', { err: error }),
      }),
    )
    .catch((error: unknown) => {
      throw new ConfigurationError(`while setting up external-jwt-signer: ${(error as Error).message}`, { cause: error })
    })
  if (maxTokenExpirationSeconds <= signer.maxTokenSeconds) return withInternalErrors(signer)
  signer.close()
  throw new ConfigurationError(
    'service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: ' +
      `${maxTokenExpirationSeconds}s > ${signer.maxTokenSeconds}s`,
  )
}

/** Wraps a signer so that its failures are reported as internal errors to the client that requested a token. */
function withInternalErrors(signer: ExternalSigner): Signing {
  return {
    getKeys: (id) => signer.getKeys(id),
    get publishedKeys() {
      return signer.publishedKeys
    },
    get maxAgeSeconds() {
      return signer.maxAgeSeconds
    },
    maxTokenSeconds: signer.maxTokenSeconds,
    issue: (claims) =>
      signer.issue(claims).catch((error: unknown) => {
        throw newInternal(`failed to generate token: ${getErrorMessage(error)}`, { cause: error })
      }),
    close: () => signer.close(),
  }
}

async function labelSecret(
  client: LoopbackClient | undefined,
  { metadata: { namespace = '', name = '', uid } }: DeepReadonly<Secret>,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  await client?.resource<Secret>({ group: '', resource: 'secrets' })?.update(namespace, name, (secret) =>
    // A secret with the same name but another UID contains another token.
    secret.metadata.uid === uid
      ? { ...secret, metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, ...labels } } }
      : secret,
  )
}

function toBoundObject(object: DeepReadonly<KubeObject> | undefined): BoundObject | undefined {
  if (object === undefined) return undefined
  const { uid = '', deletionTimestamp } = object.metadata
  return { uid, ...(deletionTimestamp && { deletionTimestamp }) }
}

async function readKeys<T>(file: string, parse: (pem: string) => T): Promise<T> {
  return wrapKeyError(file, async () => parse(await readFile(file, 'utf8')))
}

async function wrapKeyError<T>(file: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw new ConfigurationError(`the key of service account tokens (${file}) cannot be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
