import path from 'node:path'
import { storageDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import {
  createDirectoryType,
  createDurationType,
  createFileType,
  list,
  onOff,
  createChoiceType,
  createResourceSizesType,
  createPatternType,
  createIntegerType,
} from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import { StartError } from '../start-error.ts'
import type { Problems } from '../start-error.ts'
import { readEach, checkFlagFile, readFilePair } from './flag-files.ts'

const group = 'Storage'

/** Flags of storage. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const storageFlags = {
  'data-dir': {
    group,
    type: createDirectoryType(),
    default: './.keelson',
    help: 'Directory of the store, the certificates and admin.kubeconfig.',
  },
  'storage-backend': {
    group,
    type: createChoiceType('embedded', 'memory', 'etcd3'),
    help: 'Storage of objects: embedded (durable, in --data-dir), memory (lost when the server stops) or etcd3 (in --etcd-servers). Default embedded.',
  },
  durability: {
    group,
    type: createChoiceType('fsync', 'memory'),
    default: 'fsync',
    help: 'When the embedded store acknowledges a write. fsync: after the write is on disk. memory: immediately; a crash loses the latest writes, but a graceful stop does not.',
  },
  'etcd-servers': { group, type: list(), help: 'etcd servers (scheme://ip:port), comma separated.' },
  'etcd-servers-overrides': {
    group,
    type: list(),
    help: 'Separate etcd servers for some resources: group/resource#servers, servers separated by semicolons, resources by commas.',
  },
  'storage-media-type': {
    group,
    type: createChoiceType('application/vnd.kubernetes.protobuf', 'application/json'),
    help: 'Encoding of objects that are written to etcd. Objects in either encoding can be read. Default application/vnd.kubernetes.protobuf.',
  },
  'etcd-prefix': {
    group,
    type: createPatternType(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))\/?[^/]/, 'a path like /registry'),
    default: '/registry',
    help: 'Prefix of all keys in the store.',
  },
  'etcd-cafile': { group, type: createFileType(), help: 'PEM file with the CAs of the etcd servers.' },
  'etcd-certfile': { group, type: createFileType(), help: 'PEM file with the client certificate for etcd.' },
  'etcd-keyfile': { group, type: createFileType(), help: 'PEM file with the private key of --etcd-certfile.' },
  'etcd-compaction-interval': {
    group,
    type: createDurationType(),
    default: 300_000,
    help: 'Interval between compactions of the history in etcd; 0 disables them. If several servers share an etcd, one of them compacts.',
  },
  'encryption-provider-config': {
    group,
    type: createFileType(),
    help: 'Configuration file for encryption of resources in the store (EncryptionConfiguration).',
  },
  'encryption-provider-config-automatic-reload': {
    group,
    type: onOff(),
    default: false,
    help: 'Reload the file of --encryption-provider-config when it changes.',
  },
  'watch-cache': { group, type: onOff(), default: storageDefaults.watchCache, help: 'Serve lists and watches from an in-memory cache.' },
  'watch-cache-sizes': {
    group,
    type: createResourceSizesType(),
    help: 'Watch cache by resource (pods#0,deployments.apps#100): 0 disables it; the server chooses every other size itself.',
  },
  'default-watch-cache-size': {
    group,
    type: createIntegerType(),
    default: storageDefaults.defaultWatchCacheSize,
    help: 'Watch cache size of resources that are not in --watch-cache-sizes. 0 disables their watch caches; other numbers have no effect.',
  },
  'event-ttl': { group, type: createDurationType(), default: 3_600_000, help: 'Time for which events are kept.' },
  'delete-collection-workers': {
    group,
    type: createIntegerType({ minimum: 1 }),
    default: storageDefaults.deleteCollectionWorkers,
    help: 'Number of objects that the deletion of a collection deletes at the same time.',
  },
  'enable-garbage-collector': {
    group,
    type: onOff(),
    default: storageDefaults.enableGarbageCollection,
    help: 'Prepare deletions for the garbage collector (foreground and orphan deletion).',
  },
} as const

type StorageValues = FlagValuesOf<typeof storageFlags>

/** Returns the storage type that the flags select. */
export function selectStorageType(values: StorageValues): 'embedded' | 'memory' | 'etcd3' {
  return values['storage-backend'] ?? (values['etcd-servers'] === undefined ? 'embedded' : 'etcd3')
}

export async function readStorageOptions(values: StorageValues, problems: Problems): Promise<NonNullable<ServerChainOptions['storage']>> {
  const type = selectStorageType(values)
  const mediaType = values['storage-media-type']
  const overrides = await readEach(values['etcd-servers-overrides'] ?? [], parseStorageOverride, problems)
  const encryption = createEncryptionOptions(values, problems)
  const sizes = values['watch-cache-sizes']
  return {
    type,
    dataDir: path.resolve(values['data-dir']),
    durability: values.durability,
    prefix: values['etcd-prefix'],
    ...(await createEtcdOptions(values, type, problems)),
    ...(overrides.length > 0 && { overrides }),
    ...(mediaType && { mediaType }),
    ...(encryption && { encryption }),
    watchCache: values['watch-cache'],
    ...(sizes && { watchCacheSizes: sizes }),
    defaultWatchCacheSize: values['default-watch-cache-size'],
    eventTtlSeconds: Math.round(values['event-ttl'] / 1000),
    deleteCollectionWorkers: values['delete-collection-workers'],
    enableGarbageCollection: values['enable-garbage-collector'],
  }
}

function createEncryptionOptions(
  values: StorageValues,
  problems: Problems,
): NonNullable<ServerChainOptions['storage']>['encryption'] | undefined {
  const file = values['encryption-provider-config']
  const automaticReload = values['encryption-provider-config-automatic-reload']
  if (file !== undefined) return { configFile: path.resolve(file), automaticReload }
  if (automaticReload) problems.usage('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config')
  return undefined
}

const etcdFlags = ['etcd-servers', 'etcd-servers-overrides', 'storage-media-type', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile'] as const

function parseStorageOverride(text: string): { readonly resource: string; readonly servers: readonly string[] } {
  const [resource = '', servers = '', ...rest] = text.split('#')
  if (rest.length > 0 || !/^[^/]*\/[^/]+$/.test(resource) || !servers.split(';').every((server) => URL.canParse(server))) {
    const form = 'must be of format: group/resource#servers, where servers are URLs, semicolon separated'
    throw new StartError(`--etcd-servers-overrides ${JSON.stringify(text)} invalid, ${form}`, { isUsage: true })
  }
  return { resource, servers: servers.split(';') }
}

type EtcdOptions = Pick<NonNullable<ServerChainOptions['storage']>, 'transport' | 'compactionInterval'>

async function createEtcdOptions(values: StorageValues, type: string, problems: Problems): Promise<EtcdOptions> {
  if (type !== 'etcd3') {
    for (const flag of etcdFlags) if (values[flag] !== undefined) problems.usage(`--${flag} has no meaning with --storage-backend=${type}`)
    return {}
  }
  const serverList = values['etcd-servers'] ?? []
  if (serverList.length === 0) problems.usage('--storage-backend=etcd3 needs --etcd-servers')
  const client = await readFilePair({ 'etcd-certfile': values['etcd-certfile'], 'etcd-keyfile': values['etcd-keyfile'] }, problems)
  const trustedCAFile = await checkFlagFile('etcd-cafile', values['etcd-cafile'], problems)
  return {
    transport: {
      serverList,
      ...(trustedCAFile && { trustedCAFile }),
      ...(client && { certFile: client.certificateFile, keyFile: client.keyFile }),
    },
    compactionInterval: values['etcd-compaction-interval'],
  }
}
