import { findClosestMatch } from '@keelson/apimachinery'

/** Names of flags in other programs, with the equivalent flag of this program. */
const guesses: Readonly<Record<string, string>> = {
  address: '--bind-address',
  bind: '--bind-address',
  ca: '--client-ca-file',
  cert: '--tls-cert-file',
  'cluster-cidr': '--service-cluster-ip-range',
  data: '--data-dir',
  datadir: '--data-dir',
  'datastore-endpoint': '--etcd-servers',
  debug: '-v=4',
  dir: '--data-dir',
  endpoints: '--etcd-servers',
  ephemeral: '--storage-backend=memory',
  host: '--bind-address',
  'https-listen-port': '--secure-port',
  'in-memory': '--storage-backend=memory',
  'insecure-port': '--secure-port (plain HTTP is not served)',
  key: '--tls-private-key-file',
  listen: '--bind-address',
  'listen-address': '--bind-address',
  'log-format': '--logging-format',
  'log-level': '-v',
  loglevel: '-v',
  memory: '--storage-backend=memory',
  p: '--secure-port',
  port: '--secure-port',
  'service-cidr': '--service-cluster-ip-range',
  'tls-cert': '--tls-cert-file',
  'tls-key': '--tls-private-key-file',
  V: '--version',
  verbose: '-v=4',
  verbosity: '-v',
}

/** Returns the known flag that an unknown name probably stands for, in the form in which it is typed on the command line. */
export function suggestFlag(name: string, knownNames: Iterable<string>): string | undefined {
  if (Object.hasOwn(guesses, name)) return guesses[name]
  const guess = findClosestMatch(name, knownNames)
  return guess === undefined ? undefined : guess === 'v' ? '-v' : `--${guess}`
}
