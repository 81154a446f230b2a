import { readFile } from 'node:fs/promises'
import type { Secret, ServiceAccount } from '@keelson/api/core/v1'
import { systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import {
  createLegacyTokenAuthenticator,
  createServiceAccountAuthenticator,
  createTokenIssuer,
  createTokenVerifier,
  legacyIssuer,
  openIdDocuments,
  readSigningKey,
  readVerificationKeys,
} from '@keelson/auth'
import type { BoundObject, OpenIdDocuments, TokenAuthenticator, TokenMetrics, TokenVerifier, VerificationKey } from '@keelson/auth'
import type { LoopbackClient } from '@keelson/loopback'
import type { TokenSubresourceOptions } from '@keelson/resources-core'
import { ownTokenKey } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import { authenticationDefaults } from './options/authentication.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

export interface ServiceAccountTokens {
  /** Tokens of secrets, and issued tokens. */
  readonly authenticators: readonly TokenAuthenticator[]
  /** Options of the subresource that issues tokens. */
  readonly subresource: TokenSubresourceOptions
  /** Returns the OpenID documents for `serverAddress` (host and port). Throws if the issuer cannot be published. */
  documents(serverAddress: string): OpenIdDocuments
  /** Sets the client for reading the objects that tokens are bound to. No token is accepted before. */
  readFrom(client: LoopbackClient): void
}

export async function buildServiceAccountTokens(
  { authentication = {}, serving = {}, clock = systemClock, log }: ServerChainOptions,
  metrics: TokenMetrics,
): Promise<ServiceAccountTokens> {
  const serviceAccounts = { ...authenticationDefaults.serviceAccounts, ...authentication.serviceAccounts }
  const { issuers, keyFiles = [], signingKeyFile, keySetUri } = serviceAccounts
  const audiences = serviceAccounts.audiences ?? issuers
  const onMade = (file: string): void => log?.(0, 'Made a key for service account tokens', { file })
  const signingPem =
    signingKeyFile === undefined ? await ownTokenKey(serving.certificates?.directory, onMade) : await readKeys(signingKeyFile, (pem) => pem)
  const key = await wrapKeyError(signingKeyFile ?? 'generated', () => readSigningKey(signingPem))
  const files = await Promise.all(keyFiles.map((file) => readKeys(file, readVerificationKeys)))
  const keys = keyFiles.length > 0 ? files.flat() : [key]
  const issuer = createTokenIssuer({ issuer: issuers[0]!, key, clock })
  let client: LoopbackClient | undefined

  const read = async <T extends KubeObject>(resource: string, [namespace, name]: readonly [string, string], resourceVersion: string) =>
    client?.resource<T>({ group: '', resource })?.get(namespace, name, { resourceVersion })
  const live = (resource: string, namespace: string, name: string): Promise<DeepReadonly<KubeObject> | undefined> =>
    read(resource, [namespace, name], '')
  /** Reads the cache first. It may not have objects that were just created. */
  const known = async <T extends KubeObject>(resource: string, namespace: string, name: string) =>
    (await read<T>(resource, [namespace, name], '0')) ?? read<T>(resource, [namespace, name], '')
  const verificationKeys = (id: string): readonly VerificationKey[] => (id === '' ? keys : keys.filter((key) => key.id === id))
  const verifierFor = (accepted: readonly string[]): TokenVerifier =>
    createTokenVerifier({ issuers: accepted, keys: verificationKeys, metrics })

  return {
    authenticators: [
      createLegacyTokenAuthenticator({
        verifier: verifierFor([legacyIssuer]),
        audiences,
        clock,
        metrics,
        objects: serviceAccounts.lookUpLegacyTokens
          ? {
              secret: (namespace, name) => known<Secret>('secrets', namespace, name),
              serviceAccount: (namespace, name) => known<ServiceAccount>('serviceaccounts', namespace, name),
              label: async (secret, label, value) => labelSecret(client, secret, { [label]: value }),
            }
          : undefined,
        onError: (error) => log?.(0, 'The secret of a service account token cannot be labelled', { err: error }),
      }),
      createServiceAccountAuthenticator({
        verifier: verifierFor(issuers),
        clock,
        metrics,
        audiences,
        getter: async (...key) => boundObject(await known(...key)),
      }),
    ],
    subresource: {
      issue: (claims) => issuer.issue(claims),
      audiences,
      ...(serviceAccounts.maxTokenExpirationSeconds !== undefined && { maxExpirationSeconds: serviceAccounts.maxTokenExpirationSeconds }),
      extendExpiration: serviceAccounts.extendTokenExpiration,
      lookUp: live,
    },
    documents: (serverAddress) => openIdDocuments(issuers[0]!, keySetUri ?? `https://${serverAddress}/openid/v1/jwks`, keys),
    readFrom: (reader) => {
      client = reader
    },
  }
}

async function labelSecret(
  client: LoopbackClient | undefined,
  { metadata: { namespace = '', name = '', uid } }: DeepReadonly<Secret>,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  await client?.resource<Secret>({ group: '', resource: 'secrets' })?.update(namespace, name, (secret) =>
    // Another secret of the same name has other tokens.
    secret.metadata.uid === uid
      ? { ...secret, metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, ...labels } } }
      : secret,
  )
}

function boundObject(object: DeepReadonly<KubeObject> | undefined): BoundObject | undefined {
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
