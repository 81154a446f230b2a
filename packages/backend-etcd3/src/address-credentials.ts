import { createRequire } from 'node:module'
import { checkServerIdentity } from 'node:tls'
import type { ChannelCredentials, credentials } from '@grpc/grpc-js'
// Only types of etcd3's options, which pass certificates and credentials to its clients.
import type { IOptions } from 'etcd3'

type Credentials = NonNullable<IOptions['credentials']>

/** Server name sent for servers without one. Node refuses to send an IP address, and the library always sends a name. */
export const namelessServer = 'etcd.invalid'

/** Creates TLS credentials for a server addressed by its IP address. Its certificate must be valid for that address. */
export function addressCredentials(address: string, { rootCertificate, privateKey, certChain }: Credentials): ChannelCredentials {
  // Must be the instance that etcd3 uses: credentials from another copy are not recognized.
  const require = createRequire(createRequire(import.meta.url).resolve('etcd3'))
  const grpc = require('@grpc/grpc-js') as { readonly credentials: typeof credentials }
  return grpc.credentials.createSsl(rootCertificate, privateKey, certChain, {
    checkServerIdentity: (_name, certificate) => checkServerIdentity(address, certificate),
  })
}
