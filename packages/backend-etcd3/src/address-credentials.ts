import { createRequire } from 'node:module'
import { checkServerIdentity } from 'node:tls'
import type { ChannelCredentials, credentials } from '@grpc/grpc-js'
// Types of etcd3's options, which carry certificates and users to its clients.
import type { IOptions } from 'etcd3'

type Credentials = NonNullable<IOptions['credentials']>

/** What is sent as the server's name when it has none: Node refuses to send an address, and the library insists on sending something. */
export const namelessServer = 'etcd.invalid'

/** TLS with a server that is named by its IP address: its certificate must be for that address. */
export function addressCredentials(address: string, { rootCertificate, privateKey, certChain }: Credentials): ChannelCredentials {
  // The very library that the package uses: another copy's credentials are not recognised.
  const require = createRequire(createRequire(import.meta.url).resolve('etcd3'))
  const grpc = require('@grpc/grpc-js') as { readonly credentials: typeof credentials }
  return grpc.credentials.createSsl(rootCertificate, privateKey, certChain, {
    checkServerIdentity: (_name, certificate) => checkServerIdentity(address, certificate),
  })
}
