import type { GroupVersion, Scheme } from '@keelson/apimachinery'
import type { AdmissionChain, RESTStorage } from '@keelson/registry'
import type { ApiTypes } from '@keelson/api'

/** An API group to install. The core group "" is served under /api, other groups under /apis/GROUP. */
export interface APIGroupInfo {
  readonly group: string
  /** The versions in order of preference. */
  readonly versions: readonly GroupVersion[]
  /** Storages by version, and then by path ("pods", "pods/status"). */
  readonly storage: ReadonlyMap<string, ReadonlyMap<string, RESTStorage>>
  readonly scheme: Scheme
  readonly types: ApiTypes
  readonly admission: AdmissionChain
}
