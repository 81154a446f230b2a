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
  readonly group: string
  /** In order of preference. */
  readonly versions: readonly GroupVersion[]
  /** version → path → storage. */
  readonly storage: ReadonlyMap<string, ReadonlyMap<string, RESTStorage>>
}

/** The group without a name, under `/api`. */
export function installLegacyAPIGroup(target: InstallTarget, storage: ReadonlyMap<string, RESTStorage>): void {
  const version = { group: '', version: 'v1' }
  installGroup(target, { group: '', versions: [version], storage: new Map([['v1', storage]]) })
}

/** A group, over HTTP and for the loopback client alike. */
export function installGroup({ server, config, admission, client, options }: InstallTarget, group: GroupToInstall): void {
  const info: APIGroupInfo = { ...group, scheme: config.scheme, types: config.types, admission }
  installAPIGroup(server.app, info, options)
  for (const groupVersion of group.versions) {
    const storage = group.storage.get(groupVersion.version)
    if (storage !== undefined) client.add(groupVersion, storage)
  }
  server.addListedPaths(() => listedPaths(group))
}

function listedPaths({ group, versions }: GroupToInstall): string[] {
  const root = group === '' ? '/api' : `/apis/${group}`
  return [...(group === '' ? [] : ['/apis']), root, ...versions.map(({ version }) => `${root}/${version}`)]
}
