export { createDialer, buildServiceUrl } from './dialer.ts'
export type {
  ClientTarget,
  Dialer,
  DialerOptions,
  OutboundAnswer,
  OutboundClient,
  OutboundRequest,
  ServiceReference,
  ServiceResolver,
} from './dialer.ts'
export type { Dial, EgressNetwork, TlsSettings } from './dial-tls.ts'
export { readKubeconfig } from './kubeconfig.ts'
export type { KubeconfigClient } from './kubeconfig.ts'
export { hostAndPort, OutboundError } from './failure.ts'
export type { Destination, FailureKind } from './failure.ts'
