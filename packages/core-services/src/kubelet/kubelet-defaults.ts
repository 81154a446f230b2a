export const kubeletDefaults = {
  port: 10_250,
  preferredAddressTypes: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
  timeoutMs: 5000,
} as const
