import { readFile } from 'node:fs/promises'
import { systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { createServiceAccountAuthenticator, createTokenIssuer, openIdDocuments, readSigningKey, readVerificationKeys } from '@keelson/auth'
import type { BoundObject, OpenIdDocuments, TokenAuthenticator } from '@keelson/auth'
import type { LoopbackClient } from '@keelson/loopback'
import type { TokenSubresourceOptions } from '@keelson/resources-core'
import { ownTokenKey } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

const defaultIssuers = ['https://kubernetes.default.svc']

export interface ServiceAccountTokens {
  readonly authenticator: TokenAuthenticator
  /** For the subresource that makes tokens. */
  readonly subresource: TokenSubresourceOptions
  /** `serverAddress` is host and port. Throws for an issuer that cannot be published. */
  documents(serverAddress: string): OpenIdDocuments
  /** Tokens are bound to objects, which are read through this; none is accepted before. */
  readFrom(client: LoopbackClient): void
}

export async function buildServiceAccountTokens({
  serviceAccounts = {},
  certificates,
  clock = systemClock,
  log,
}: ServerChainOptions): Promise<ServiceAccountTokens> {
  const { issuers = defaultIssuers, keyFiles = [], signingKeyFile, keySetUri } = serviceAccounts
  const audiences = serviceAccounts.audiences ?? issuers
  const onMade = (file: string): void => log?.(0, 'Made a key for service account tokens', { file })
  const signingPem =
    signingKeyFile === undefined ? await ownTokenKey(certificates?.directory, onMade) : await readKeys(signingKeyFile, (pem) => pem)
  const key = await check(signingKeyFile ?? 'its own', () => readSigningKey(signingPem))
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
      // What was made a moment ago may not be in the cache yet.
      getter: async (...what) => boundObject((await cached(...what)) ?? (await live(...what))),
    }),
    subresource: {
      issue: (claims) => issuer.issue(claims),
      audiences,
      ...(serviceAccounts.maxTokenExpirationSeconds !== undefined && { maxExpirationSeconds: serviceAccounts.maxTokenExpirationSeconds }),
      ...(serviceAccounts.extendTokenExpiration !== undefined && { extendExpiration: serviceAccounts.extendTokenExpiration }),
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
  return check(file, async () => parse(await readFile(file, 'utf8')))
}

async function check<T>(file: string, use: () => T | Promise<T>): Promise<T> {
  try {
    return await use()
  } catch (error) {
    throw new ConfigurationError(`the key of service account tokens (${file}) cannot be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
