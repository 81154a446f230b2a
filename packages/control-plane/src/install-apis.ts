import type { AdmissionChain } from '@keelson/admission'
import type { GroupVersion } from '@keelson/apimachinery'
import { installAPIGroup } from '@keelson/http-installer'
import type { APIGroupInfo, InstallOptions } from '@keelson/http-installer'
import type { LoopbackClientBuilder } from '@keelson/loopback'
import type { RESTStorage } from '@keelson/registry'
import type { Server } from '@keelson/server'
import type { GenericConfig } from './build-generic-config.ts'

export interface InstallTarget {
  readonly server: Server
  readonly config: GenericConfig
  readonly admission: AdmissionChain
  readonly client: LoopbackClientBuilder
  readonly options: InstallOptions
}

export interface GroupToInstall {
  /** "" for core. */
  readonly name: string
  /** Higher comes first in discovery. */
  readonly priority: number
  /** In order of preference. */
  readonly versions: readonly GroupVersion[]
  /** Versions that an operator may name although nothing of them is served. Default: none. */
  readonly retiredVersions?: readonly string[]
  /** version → path → storage. */
  readonly storage: ReadonlyMap<string, ReadonlyMap<string, RESTStorage>>
}

/** The group without a name, under `/api`. */
export function installLegacyAPIGroup(target: InstallTarget, group: Omit<GroupToInstall, 'name'>): void {
  installGroup(target, { ...group, name: '' })
}

/** A group, over HTTP and for the loopback client alike. */
export function installGroup({ server, config, admission, client, options }: InstallTarget, group: GroupToInstall): void {
  const { name, priority, versions, storage } = group
  const info: APIGroupInfo = { group: name, versions, storage, scheme: config.scheme, types: config.types, admission }
  installAPIGroup(server.app, info, { ...options, priority })
  for (const groupVersion of versions) {
    const paths = storage.get(groupVersion.version)
    if (paths !== undefined) client.add(groupVersion, paths)
  }
  server.addListedPaths(() => listedPaths(group))
}

function listedPaths({ name, versions }: GroupToInstall): string[] {
  const root = name === '' ? '/api' : `/apis/${name}`
  return [...(name === '' ? [] : ['/apis']), root, ...versions.map(({ version }) => `${root}/${version}`)]
}
