/** A flag of kube-apiserver that this program does not have. */
export interface OtherFlag {
  /** Reason why the flag is not supported, as the end of a sentence. */
  readonly because: string
  /** Values that match the behaviour of this server. The flag is accepted with these values and has no effect. Default: no values. */
  readonly harmless?: RegExp
  /** True if the flag is a switch: its name without a value means true. */
  readonly isSwitch?: boolean
}

const any = /^/
const falsePattern = /^(false|f|0)$/i
const truePattern = /^(true|t|1)$/i

const table: Readonly<Record<string, OtherFlag>> = {
  'admission-control': { because: 'it is the old name of --enable-admission-plugins' },
  'allow-privileged': { because: 'privileged pods are always allowed', harmless: truePattern, isSwitch: true },
  'contention-profiling': { because: 'a single thread has no lock contention', harmless: any, isSwitch: true },
  'emulated-version': { because: 'no other version is emulated', harmless: /^(kube=)?1\.36$/ },
  'emulation-forward-compatible': { because: 'no other version is emulated', harmless: falsePattern, isSwitch: true },
  'enable-logs-handler': { because: 'the files of /var/log are not served', harmless: falsePattern, isSwitch: true },
  'etcd-count-metric-poll-period': { because: 'objects are counted as they come and go', harmless: any },
  'etcd-db-metric-poll-interval': { because: 'the size of the store is read when metrics are scraped', harmless: any },
  'etcd-healthcheck-timeout': { because: 'the health of the store is known without asking it', harmless: any },
  'etcd-readycheck-timeout': { because: 'the health of the store is known without asking it', harmless: any },
  kubeconfig: { because: 'authentication and authorization do not ask another API server' },
  'kubernetes-service-node-port': { because: 'the kubernetes service is of type ClusterIP', harmless: /^0$/ },
  'lease-reuse-duration-seconds': { because: 'how leases of events are shared is not configurable', harmless: any },
  'log-json-info-buffer-size': { because: 'the log is not buffered', harmless: any },
  'log-json-split-stream': { because: 'the log goes to stderr', harmless: falsePattern, isSwitch: true },
  'log-text-info-buffer-size': { because: 'the log is not buffered', harmless: any },
  'log-text-split-stream': { because: 'the log goes to stderr', harmless: falsePattern, isSwitch: true },
  'log-flush-frequency': { because: 'the log is not buffered', harmless: any },
  'max-connection-bytes-per-sec': { because: 'proxied connections are not throttled', harmless: /^0$/ },
  'min-compatibility-version': { because: 'no other version is emulated', harmless: /^(kube=)?1\.35$/ },
  'permit-address-sharing': { because: 'the port is not shared', harmless: falsePattern, isSwitch: true },
  'permit-port-sharing': { because: 'the port is not shared', harmless: falsePattern, isSwitch: true },
  'runtime-config-emulation-forward-compatible': { because: 'no other version is emulated', harmless: falsePattern, isSwitch: true },
  'storage-initialization-timeout': { because: 'the server waits for its caches for a minute at the most', harmless: any },
  'tls-curve-preferences': { because: 'the key exchange is chosen by the runtime' },
}

const families: readonly (readonly [prefix: string, flag: OtherFlag])[] = [
  ['coordinated-leadership-', { because: 'the server does not elect leaders for other components' }],
]

/** Returns a flag of kube-apiserver by name. Returns undefined for an unknown name. */
export function findOtherFlag(name: string): OtherFlag | undefined {
  if (Object.hasOwn(table, name)) return table[name]
  return families.find(([prefix]) => name.startsWith(prefix))?.[1]
}
