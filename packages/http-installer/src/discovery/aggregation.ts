import type { Route } from '@keelson/exchange'

/** A group as `/apis` and `/apis/GROUP` list it. */
export interface ListedGroup {
  /** Name of the group. "" for the core group. */
  readonly name: string
  /** Versions in order of preference. */
  readonly versions: readonly { readonly version: string }[]
}

/** A version of a group in aggregated discovery that another server serves. */
export interface RemoteVersion {
  readonly version: string
  /** Priority of the group. The group has the highest priority of its versions. */
  readonly groupPriority: number
  /** The entry of the version in aggregated discovery, as JSON. */
  readonly json: string
}

/** The versions of a group that other servers serve. They replace installed versions with the same name. */
export interface RemoteGroup {
  readonly versions: readonly RemoteVersion[]
  /** Returns the priority of a remote or installed version. Versions with the same priority are listed by stability and age. */
  readonly priorityOf: (version: string) => number
}

/** A server in front of the installed groups. It decides which groups `/apis` lists, and other servers serve some of them. */
export interface Aggregation {
  /** Returns the route of all paths of a group version that another server serves. Undefined if the installed groups answer. */
  routeOf(group: string, version: string): Route | undefined
  /** Returns the groups for `/apis`, in order. Undefined if the installed groups are listed. */
  listedGroups(): Iterable<ListedGroup> | undefined
  /** Returns a group for `/apis/GROUP`. Undefined if the installed groups answer. */
  listedGroup(name: string): ListedGroup | undefined
}
