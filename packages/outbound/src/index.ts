export { createDialer, buildServiceUrl } from './dialer.ts'
export type {
  ClientTarget,
  Dialer,
  DialerOptions,
  OutboundClient,
  ServiceReference,
  ServiceResolver,
  StreamClient,
  StreamDialer,
  StreamRequest,
} from './dialer.ts'
export { connect, dialDirectly } from './dial-tls.ts'
export type { ConnectOptions, Dial, EgressNetwork, TlsSettings } from './dial-tls.ts'
export { lookUpHost } from './host-lookup.ts'
export type { LookUpHost } from './host-lookup.ts'
export { createLoopbackDialer } from './loopback-dialer.ts'
export type { ServeRequest } from './loopback-dialer.ts'
export type { OutboundAnswer, OutboundRequest } from './outbound-request.ts'
export { readInClusterConfig } from './in-cluster.ts'
export type { InClusterOptions } from './in-cluster.ts'
export { checkAuthorities, readKubeconfig, readKubeconfigUsers } from './kubeconfig.ts'
export type { KubeconfigClient, KubeconfigCredentials, KubeconfigUsers } from './kubeconfig.ts'
export { openKubeconfigWebhook, postToWebhook, retryWebhook } from './kubeconfig-webhook.ts'
export type { KubeconfigWebhook, KubeconfigWebhookOptions, WebhookPost, WebhookRetries } from './kubeconfig-webhook.ts'
export { findAnswerError, formatJsonTypeProblem, parseReview } from './review-answer.ts'
export type { ExpectedReview, ParsedReview } from './review-answer.ts'
export { formatOpenError } from './open-error.ts'
export { joinHostAndPort, OutboundError, toConnectionError } from './failure.ts'
export type { Destination, FailureKind } from './failure.ts'
export { openRelay } from './open-relay.ts'
export type { Relay } from './open-relay.ts'
export type { StreamedAnswer } from './open-stream.ts'
export { createEgressSelector, directEgress } from './egress/create-egress-selector.ts'
export type { EgressSelector } from './egress/create-egress-selector.ts'
export { createEgressMetrics } from './egress/egress-metrics.ts'
export { parseEgressConfiguration, readEgressConfiguration } from './egress/egress-configuration.ts'
export type { EgressConfiguration } from './egress/egress-configuration.ts'
export { findEgressConfigurationError } from './egress/validate-egress-configuration.ts'
