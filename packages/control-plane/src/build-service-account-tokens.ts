import { readFile } from 'node:fs/promises'
import { systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { createServiceAccountAuthenticator, createTokenIssuer, openIdDocuments, readSigningKey, readVerificationKeys } from '@keelson/auth'
import type { BoundObject, OpenIdDocuments, TokenAuthenticator } from '@keelson/auth'
import type { LoopbackClient } from '@keelson/loopback'
import type { TokenSubresourceOptions } from '@keelson/resources-core'
import { ownTokenKey } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import { authenticationDefaults } from './options/authentication.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

export interface ServiceAccountTokens {
  readonly authenticator: TokenAuthenticator
  /** Options of the subresource that issues tokens. */
  readonly subresource: TokenSubresourceOptions
  /** Returns the OpenID documents for `serverAddress` (host and port). Throws if the issuer cannot be published. */
  documents(serverAddress: string): OpenIdDocuments
  /** Sets the client for reading the objects that tokens are bound to. No token is accepted before. */
  readFrom(client: LoopbackClient): void
}

export async function buildServiceAccountTokens({
  authentication = {},
  serving = {},
  clock = systemClock,
  log,
}: ServerChainOptions): Promise<ServiceAccountTokens> {
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

  const cached = (resource: string, namespace: string, name: string): Promise<DeepReadonly<KubeObject> | undefined> =>
    read(client, resource, namespace, name, '0')
  const live = (resource: string, namespace: string, name: string): Promise<DeepReadonly<KubeObject> | undefined> =>
    read(client, resource, namespace, name, '')

  return {
    authenticator: createServiceAccountAuthenticator({
      clock,
      issuers,
      keys,
      audiences,
      // The cache may not have objects that were just created.
      getter: async (...key) => boundObject((await cached(...key)) ?? (await live(...key))),
    }),
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

async function read(
  client: LoopbackClient | undefined,
  resource: string,
  namespace: string,
  name: string,
  resourceVersion: string,
): Promise<DeepReadonly<KubeObject> | undefined> {
  return client?.resource({ group: '', resource })?.get(namespace, name, { resourceVersion })
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
