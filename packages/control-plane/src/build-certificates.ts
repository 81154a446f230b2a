import { createDirectoryCertificateStore, createMemoryCertificateStore, firstServiceIp, ownCertificates } from '@keelson/server'
import type { KeyPair } from '@keelson/server'
import { advertiseAddress } from './addresses.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

export interface ServingCertificates {
  readonly serving: { readonly certificate: string; readonly key: string }
  /** What a client must trust to reach the server. */
  readonly authority: string
  /** A client certificate of `system:masters`. */
  readonly admin: KeyPair
  readonly clientAuthorities: readonly string[]
}

export async function buildCertificates(options: ServerChainOptions): Promise<ServingCertificates> {
  const { directory, names = [] } = options.certificates ?? {}
  const serviceIp = firstServiceIp((options.serviceClusterIpRange ?? '10.0.0.0/24').split(',')[0]!)
  const own = await ownCertificates({
    store: directory === undefined ? createMemoryCertificateStore() : createDirectoryCertificateStore(directory),
    names: [...names, ...(serviceIp === undefined ? [] : [serviceIp]), options.bindAddress ?? '127.0.0.1', advertiseAddress(options)],
  })
  const given = options.servingCertificate
  return {
    serving: given ?? own.serving,
    // A certificate that was given is trusted as it is: its authority is not known here.
    authority: given?.certificate ?? own.ca.certificate,
    admin: own.admin,
    clientAuthorities: [own.ca.certificate, ...(options.clientAuthorities ?? [])],
  }
}
